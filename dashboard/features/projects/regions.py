"""Names of the regions a project can live in. The list is open: a code without a name here is shown as it is."""

from dashboard.interfaces.management.projects import REGIONS

# Regions that came after the document: a project may live there.
NEWER = {
    "us-east-2": "East US (Ohio)",
    "eu-central-2": "Central Europe (Zurich)",
    "eu-north-1": "North EU (Stockholm)",
    "ap-east-1": "East Asia (Hong Kong)",
}


def region_name(code: str) -> str:
    """The name of a region in words, or an empty text for a code that has none here."""
    return REGIONS.get(code) or NEWER.get(code, "")
