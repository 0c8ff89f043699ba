"""Pages of share links, for visitors and for the people who create them."""
