"""Long work on objects, one module a phase: gathering and planning, doing, settling, checking."""
