"""Views of share links: for whoever opens one, and for whoever makes them."""
