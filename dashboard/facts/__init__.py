"""Facts that overviews show of each project or space: registered by features, stored per token, refreshed within limits."""
