"""Style sheets, scripts and templates as they are served."""
