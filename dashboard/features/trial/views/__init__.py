"""Pages that exist only with the embedded sandbox; otherwise they answer 404."""
