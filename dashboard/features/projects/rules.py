"""Regions of new projects, and their database passwords."""

from secrets import choice
from string import ascii_letters, digits

from dashboard.interfaces.management.projects import REGIONS

CONTINENTS = {"Europe": ("eu-",), "Americas": ("us-", "ca-", "sa-"), "Asia and Pacific": ("ap-",)}
# Chosen to type a code that the list doesn't have.
OTHER_REGION = "other"
PASSWORD_CHARACTERS = 24


def region_name(code: str) -> str:
    """The region's name; empty for a code without one here."""
    return REGIONS.get(code, "")


def region_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Code and label of each region by continent, and the choice of another code."""
    listed = [
        (continent, [(code, f"{name} · {code}") for code, name in REGIONS.items() if code.startswith(prefixes)])
        for continent, prefixes in CONTINENTS.items()
    ]
    return [*listed, ("Not listed", [(OTHER_REGION, "Another region")])]


def generate_password() -> str:
    """142 random bits as letters and digits, which connection strings take unquoted."""
    return "".join(choice(ascii_letters + digits) for _ in range(PASSWORD_CHARACTERS))
