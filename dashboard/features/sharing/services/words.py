"""Names as a recipient reads them."""

from dashboard.index.places import name_of


def file_name(key: str) -> str:
    """What a download is saved as."""
    return name_of(key) or "object"
