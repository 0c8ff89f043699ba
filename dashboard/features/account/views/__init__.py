"""Pages of the own account."""
