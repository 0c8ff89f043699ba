"""The command palette, the search page for those without script, and the keyboard map."""
