"""`goodbot.tables.writing`: from Parquet files of URLs to a Parquet file of verdicts."""
