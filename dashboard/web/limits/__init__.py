"""Limits on what one client may use or try at a time."""
