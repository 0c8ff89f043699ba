"""What overviews show of each project or space: registered by features, kept with its age per token, refreshed within limits."""
