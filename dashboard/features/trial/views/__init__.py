"""Pages that exist only beside the embedded sandbox; elsewhere they answer 404."""
