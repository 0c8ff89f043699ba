"""Functions of a project: M9 to M14."""
