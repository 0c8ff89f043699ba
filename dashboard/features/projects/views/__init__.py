"""Pages of projects and organizations."""
