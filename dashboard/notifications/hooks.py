"""What upper layers register in `AppConfig.ready`."""

from collections.abc import Callable

# Returns what the team calls a project or space, or an empty text.
place_names: list[Callable[[str], str]] = []


def name_of(place: str) -> str:
    """Return what the team calls a project or space, else its ref."""
    return next((name for name_place in place_names if (name := name_place(place))), place) if place else ""
