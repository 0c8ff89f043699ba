"""Pages of the functions of one project."""
