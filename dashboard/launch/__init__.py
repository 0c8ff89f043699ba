"""Start and operate Pilothouse: the start command, gunicorn, health checks, settings checks."""
