"""The audit log: an entry per change, written before it is sent and closed with its outcome."""
