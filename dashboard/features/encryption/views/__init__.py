"""Pages of the root key: knowing it, and replacing it."""
