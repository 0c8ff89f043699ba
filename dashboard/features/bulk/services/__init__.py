"""What is asked for, and what can be worked out about it without asking the service."""
