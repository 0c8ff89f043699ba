"""Pages of functions."""
