"""Pilothouse: a self-hosted dashboard for projects and object storage."""

__version__ = "1.0.0"
