"""The custom hostname of one project, operations M15 to M19, and what is remembered of it."""
