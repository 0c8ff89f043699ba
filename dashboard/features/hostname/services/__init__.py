"""The custom hostname of one project (M15 to M19), and the history kept of it."""
