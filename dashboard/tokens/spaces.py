"""Spaces: one storage address each. Only plain labels can be part of a host name."""

import re
from dataclasses import dataclass
from typing import Literal

from django.conf import settings

SHARED = "shared"
SHARED_TITLE = "Storage"
LABEL = re.compile(r"[a-z0-9-]{1,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Space:
    """One storage address: `name` is used in URLs, `title` on pages."""

    name: str
    title: str
    has_token: bool


def mode() -> Literal["none", "single", "per project"]:
    """Return whether storage is set up, and whether it has one address or one per project."""
    if not settings.STORAGE_URL:
        return "none"
    return "per project" if "{ref}" in settings.STORAGE_URL else "single"


def can_be(space: str) -> bool:
    """Whether this is a valid space name here."""
    if mode() == "single":
        return space == SHARED
    return mode() == "per project" and space != SHARED and LABEL.fullmatch(space) is not None


def address(space: str) -> str:
    """Return the storage address of a valid space."""
    if not can_be(space):
        raise ValueError("That can't be a space.")
    return str(settings.STORAGE_URL).replace("{ref}", space)


def public_address(space: str) -> str | None:
    """Return the storage address for browsers; None if everything is streamed through Pilothouse."""
    if not can_be(space):
        raise ValueError("That can't be a space.")
    if settings.STORAGE_PUBLIC_URL == "none":
        return None
    return str(settings.STORAGE_PUBLIC_URL or settings.STORAGE_URL).replace("{ref}", space)


def token_name(kind: str, space: str, name: str = "") -> str:
    """Return a token's display name: "management token", "storage token for billing". `name` is the space's, if known."""
    if kind == "management":
        return "management token"
    return "storage token" if space in {"", SHARED} else f"storage token for {name or space}"
