"""The pages of members, and those of outsiders."""
