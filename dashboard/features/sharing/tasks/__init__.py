"""What share links and signed links need that takes long."""
