"""Names of the regions a project can live in. The list is open: a code without a name here is shown as it is."""

from dashboard.interfaces.management.projects import REGIONS

# Regions that came after the document: a project may live there, but not every service takes a new one.
NEWER = {
    "us-east-2": "East US (Ohio)",
    "eu-central-2": "Central Europe (Zurich)",
    "eu-north-1": "North EU (Stockholm)",
    "ap-east-1": "East Asia (Hong Kong)",
}

CONTINENTS = {"Europe": ("eu-",), "Americas": ("us-", "ca-", "sa-"), "Asia and Pacific": ("ap-",)}


def region_name(code: str) -> str:
    """The name of a region in words, or an empty text for a code that has none here."""
    return REGIONS.get(code) or NEWER.get(code, "")


def groups() -> list[tuple[str, list[tuple[str, str]]]]:
    """The regions on offer for a new project: code and name, by continent."""
    return [
        (continent, [(code, f"{name} · {code}") for code, name in REGIONS.items() if code.startswith(beginnings)])
        for continent, beginnings in CONTINENTS.items()
    ]
