"""The content of the start page: the first steps, the fleet, the latest changes."""
