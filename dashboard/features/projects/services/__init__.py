"""Projects and organizations in a person's verbs."""
