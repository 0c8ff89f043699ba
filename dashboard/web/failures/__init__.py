"""Failures in words: what we tried, the cause, the next step, and the log line."""
