"""Sealing: the only place where a plain secret and its sealed form meet."""
