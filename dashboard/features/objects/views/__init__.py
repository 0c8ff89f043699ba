"""Pages of the object browser."""
