"""File requests, and the files that arrive by them."""
