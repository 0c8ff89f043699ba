"""Check a token against the service by reading M3 and M1, or S2, and probe what a storage token can list and read."""

from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings

from dashboard.interfaces import ManagementInterface, Placement, StorageInterface, Token, errors
from dashboard.interfaces.exchange import Exchange
from dashboard.tokens import spaces
from dashboard.tokens.formats import end_of, is_service_key, role_of
from dashboard.tokens.models import Kind
from dashboard.web.failures.request_log import call_observer
from dashboard.web.limits.slots import Waiting
from dashboard.web.process.parallel import map_bounded

PROBED_BUCKETS = 20
# Answers that may only mean that the service expects the token in the other placement.
WRONG_PLACEMENT = (errors.TokenRefused, errors.NotAllowed, errors.Rejected)


@dataclass(frozen=True, slots=True)
class Found:
    """The accepted placement (storage only) and counts by name (None: access denied). `answers`: those to probes of buckets."""

    placement: str = ""
    reach: dict[str, int | str | None] = field(default_factory=dict)
    answers: list[Exchange] = field(default_factory=list)


def check(kind: str, space: str, text: str) -> Found:
    """Return what a token reaches. Raises `TokenRefused` if refused, other interface errors if unknown."""
    return _management(text) if kind == Kind.MANAGEMENT else _storage(space, text)


def _management(text: str) -> Found:
    management = ManagementInterface(settings.MANAGEMENT_URL, Token(text), observer=call_observer(), gate=Waiting().gate)
    reach: dict[str, int | str | None] = {}
    for name, ask in (("organizations", management.organizations.all), ("projects", management.projects.all)):
        try:
            reach[name] = len(ask())
        except errors.NotAllowed:
            reach[name] = None
    return Found(reach=reach)


def _storage(space: str, text: str) -> Found:
    refusals: list[errors.InterfaceError] = []
    answers: list[Exchange] = []
    count = call_observer()

    def observe(exchange: Exchange) -> None:
        count(exchange)
        answers.append(exchange)

    for placement in _placements():
        try:
            storage = StorageInterface(
                spaces.address(space), Token(text), placement=placement, observer=observe, gate=Waiting().gate
            )
            buckets = storage.buckets.all()
        except WRONG_PLACEMENT as refused:
            refusals.append(refused)
            continue
        reach: dict[str, int | str | None] = {"buckets": len(buckets), "role": role_of(text)}
        if end := end_of(text):
            reach["ends"] = end.isoformat()
        if not is_service_key(text):
            map_bounded(partial(_probe, storage), [bucket.id for bucket in buckets[:PROBED_BUCKETS]])
        return Found(placement=placement.value, reach=reach, answers=answers)
    # The other placement may get "no token", so prefer an explicit refusal.
    raise next((refused for refused in refusals if isinstance(refused, errors.TokenRefused)), refusals[0])


def _probe(storage: StorageInterface, bucket: str) -> None:
    """Probe a bucket: S13 for one row, and S19 if it is an object. Failures don't keep the token from being stored."""
    with suppress(errors.InterfaceError):
        for row in storage.objects.all(bucket, limit=1):
            if not row.is_folder:
                storage.objects.info(bucket, row.name)


def _placements() -> tuple[Placement, ...]:
    if settings.STORAGE_AUTHORIZATION == "auto":
        return (Placement.HEADER, Placement.QUERY)
    return (Placement(settings.STORAGE_AUTHORIZATION),)
