"""Functions that upper layers register in their `feature`."""

from collections.abc import Callable

# Each returns the name of a project or space as the person with this id sees it (None: the team), or "".
place_names: list[Callable[[str, int | None], str]] = []


def name_of(place: str, person_id: int | None) -> str:
    """Return the team's label for a project or space, else its own name, else its ref."""
    return next((name for name_place in place_names if (name := name_place(place, person_id))), place) if place else ""
