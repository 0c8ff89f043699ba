"""Projects and organizations: M1 to M4."""
