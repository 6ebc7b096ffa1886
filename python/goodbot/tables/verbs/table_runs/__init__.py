"""A run over Parquet files of URLs: its progress, what stops it, its summary."""
