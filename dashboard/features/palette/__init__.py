"""The command palette, the search page for browsers without scripts, and the keyboard map."""
