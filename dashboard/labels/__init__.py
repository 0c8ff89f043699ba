"""What the team calls a project: a label, a colour, "production", a note. The service knows nothing of it."""
