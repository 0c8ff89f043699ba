"""Regions a project can live in. The list is open: a code without a name here is shown as it is."""

from dashboard.interfaces.management.projects import REGIONS

CONTINENTS = {"Europe": ("eu-",), "Americas": ("us-", "ca-", "sa-"), "Asia and Pacific": ("ap-",)}
# Chosen in the form to type a code that the list does not have.
OTHER = "other"


def region_name(code: str) -> str:
    """The name of a region in words, or an empty text for a code that has none here."""
    return REGIONS.get(code, "")


def groups() -> list[tuple[str, list[tuple[str, str]]]]:
    """The regions on offer for a new project: code and name, by continent, and the way to type another code."""
    listed = [
        (continent, [(code, f"{name} · {code}") for code, name in REGIONS.items() if code.startswith(beginnings)])
        for continent, beginnings in CONTINENTS.items()
    ]
    return [*listed, ("Not listed", [(OTHER, "Another region")])]
