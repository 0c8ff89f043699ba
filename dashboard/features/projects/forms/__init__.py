"""What a person may ask of the projects, and type about them."""
