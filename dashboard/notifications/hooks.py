"""What upper layers register in `AppConfig.ready`."""

from collections.abc import Callable

# Returns the name of a project or space for the person with this id, None for the whole team; or an empty text.
place_names: list[Callable[[str, int | None], str]] = []


def name_of(place: str, person_id: int | None) -> str:
    """Return what the team calls a project or space, else its own name, else its ref."""
    return next((name for name_place in place_names if (name := name_place(place, person_id))), place) if place else ""
