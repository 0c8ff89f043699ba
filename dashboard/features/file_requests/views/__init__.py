"""Pages of file requests, for members and for outsiders."""
