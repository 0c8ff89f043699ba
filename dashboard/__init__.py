"""Pilothouse: a self-hosted dashboard for projects and object storage."""

__version__ = "0.1.0"
