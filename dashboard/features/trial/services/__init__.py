"""What the sandbox offers beside the interface: guides over the real pages, and switches."""
