"""The team's labels for projects: name, colour, production mark and note. The service doesn't know them."""
