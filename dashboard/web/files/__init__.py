"""Bytes on their way to people: downloads, ranges, archives, tables."""
