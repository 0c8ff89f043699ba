"""Pages of the spaces and of the buckets in one."""
