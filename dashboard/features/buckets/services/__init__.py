"""Buckets of one space: list, create, change, delete."""
