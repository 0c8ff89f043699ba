"""Pages of spaces and buckets."""
