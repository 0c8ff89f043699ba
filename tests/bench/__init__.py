"""Measuring: `python -m tests.bench uploads | downloads | slow | start`. Prints tables of ratios; nothing passes or fails."""
