"""File requests, the files that arrive by them, and what becomes of these."""
