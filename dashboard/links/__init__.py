"""Share links and signed links: records that moves, deletions and lists must know about."""
