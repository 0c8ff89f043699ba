"""Each person's stored tokens, and the Workspace built from them."""
