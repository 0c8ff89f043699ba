"""Share links and sets of signed links."""
