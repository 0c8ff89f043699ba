"""What the start page shows: the first steps, the fleet, the latest changes."""
