"""`goodbot.verdict_tables`: from Parquet files of URLs to a Parquet file of verdicts."""
