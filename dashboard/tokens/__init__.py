"""Per-person stored tokens, and the Workspace made from them."""
