"""What share links do."""
