"""Ask the service what a token reaches. Reads only: M3 and M1, or S2."""

from dataclasses import dataclass, field

from django.conf import settings

from dashboard.interfaces import ManagementInterface, Placement, StorageInterface, Token, errors
from dashboard.tokens import spaces
from dashboard.tokens.formats import end_of, role_of
from dashboard.tokens.models import Kind
from dashboard.web.call_slots import Waiting

# What the service says to a token in a place where it does not look for one.
NOT_THERE = (errors.TokenRefused, errors.NotAllowed, errors.Rejected)


@dataclass(frozen=True, slots=True)
class Found:
    """How the service took the token (storage only) and what it reaches: numbers by name, None for "may not look"."""

    placement: str = ""
    reach: dict[str, int | str | None] = field(default_factory=dict)


def check(kind: str, space: str, text: str) -> Found:
    """Raises `TokenRefused` when the service does not accept it, other interface errors when it could not say."""
    return _management(text) if kind == Kind.MANAGEMENT else _storage(space, text)


def _management(text: str) -> Found:
    management = ManagementInterface(settings.MANAGEMENT_URL, Token(text), gate=Waiting().gate)
    reach: dict[str, int | str | None] = {}
    for name, ask in (("organizations", management.organizations.all), ("projects", management.projects.all)):
        try:
            reach[name] = len(ask())
        except errors.NotAllowed:
            reach[name] = None
    return Found(reach=reach)


def _storage(space: str, text: str) -> Found:
    refusals: list[errors.InterfaceError] = []
    for placement in _placements():
        try:
            storage = StorageInterface(spaces.address(space), Token(text), placement=placement, gate=Waiting().gate)
            buckets = storage.buckets.all()
        except NOT_THERE as refused:
            refusals.append(refused)
            continue
        reach: dict[str, int | str | None] = {"buckets": len(buckets), "role": role_of(text)}
        if end := end_of(text):
            reach["ends"] = end.isoformat()
        return Found(placement=placement.value, reach=reach)
    # "Not accepted" says more than "there is no token", which is what the other placement may answer.
    raise next((refused for refused in refusals if isinstance(refused, errors.TokenRefused)), refusals[0])


def _placements() -> tuple[Placement, ...]:
    if settings.STORAGE_AUTHORIZATION == "auto":
        return (Placement.HEADER, Placement.QUERY)
    return (Placement(settings.STORAGE_AUTHORIZATION),)
