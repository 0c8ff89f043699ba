"""Objects: browse, preview, upload, download, delete, link."""
