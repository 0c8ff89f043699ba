"""The team, and the access of each person that a viewer may know of: what they gave each other (owners: all)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dashboard.features.access.rules import reach_in_words
from dashboard.features.access.services.rows import Row
from dashboard.team import services as team
from dashboard.team.models import Person
from dashboard.tokens.grants import is_for


@dataclass(frozen=True, slots=True)
class Member:
    """A person of the list; `access` says what they reach through whom."""

    person: team.Row
    access: str


def members(viewer: Person, found: Iterable[Row], *, name: str = "", only_with: Sequence[Row] | None = None) -> list[Member]:
    """Return the people whose name, or address where it is shown, contains `name`.

    With `only_with`, return those only whom one of these rows gives access.
    """
    everybody, is_open = Person.objects.in_bulk(), team.sees_accounts(viewer)
    current = [row for row in found if not row.is_past]
    listed = [
        row for row in team.people(viewer) if name.casefold() in (f"{row.name} {row.email}" if is_open else row.name).casefold()
    ]
    if only_with is not None:
        listed = [row for row in listed if any(_is_to(one, everybody[row.id]) for one in only_with)]
    return [Member(row, "; ".join(_access(everybody[row.id], current))) for row in listed]


def sides(viewer: Person, person: Person, found: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the rows of a person's page by heading: "Through …" for what they received, "To …" for what they gave."""
    groups: dict[str, list[Row]] = {}
    for row in found:
        if heading := _heading(viewer, person, row):
            groups.setdefault(heading, []).append(row)
    return groups


def _is_to(row: Row, person: Person) -> bool:
    return row.grant.giver_id != person.pk and is_for(row.grant, person)


def _heading(viewer: Person, person: Person, row: Row) -> str:
    grant = row.grant
    if _is_to(row, person):
        return "Through you" if row.is_given else f"Through {grant.giver}"
    # What the viewer gave to one person stands on that person's page.
    if grant.giver_id != person.pk or (person == viewer and grant.person_id):
        return ""
    if row.is_received:
        return "To you"
    return f"To {grant.person or row.receiver[:1].lower() + row.receiver[1:]}"


def _access(person: Person, current: Sequence[Row]) -> Iterator[str]:
    received = [row for row in current if _is_to(row, person)]
    if through_you := [row for row in received if row.is_given]:
        yield f"{reach_in_words(row.grant.scope for row in through_you)} through you"
    if through_others := [row for row in received if not row.is_given]:
        givers = {str(row.grant.giver) for row in through_others}
        whose = givers.pop() if len(givers) == 1 else "others"
        yield f"{reach_in_words(row.grant.scope for row in through_others)} through {whose}"
    if to_you := [row for row in current if row.is_received and row.grant.giver_id == person.pk]:
        yield f"gives you {reach_in_words(row.grant.scope for row in to_you)}"
