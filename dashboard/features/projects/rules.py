"""Regions of new projects, and their database passwords."""

from secrets import choice
from string import ascii_letters, digits

from dashboard.interfaces.management.projects import REGIONS

CONTINENTS = {"Europe": ("eu-",), "Americas": ("us-", "ca-", "sa-"), "Asia and Pacific": ("ap-",)}
# Choice that allows typing a code missing in the list.
OTHER_REGION = "other"
PASSWORD_CHARACTERS = 24


def region_name(code: str) -> str:
    """Return the region's name; empty if we have none for this code."""
    return REGIONS.get(code, "")


def region_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return code and label of each region by continent, and the choice of another code."""
    listed = [
        (continent, [(code, f"{name} · {code}") for code, name in REGIONS.items() if code.startswith(prefixes)])
        for continent, prefixes in CONTINENTS.items()
    ]
    return [*listed, ("Not listed", [(OTHER_REGION, "Another region")])]


def generate_password() -> str:
    """Return 142 random bits as letters and digits, which need no quoting in connection strings."""
    return "".join(choice(ascii_letters + digits) for _ in range(PASSWORD_CHARACTERS))
