"""Extras of the sandbox outside the interface: guides over the real pages, and switches."""
