"""Project labels of the team: name, colour, production mark and note, kept here only."""
