"""Running Pilothouse: one command for everything, gunicorn's configuration, the health addresses, the checks of the set-up."""
