"""States of links: a list of rules, from which badges, filters and visitors' pages follow."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db import models
from django.db.models import Case, Q, QuerySet, Value, When

L = TypeVar("L", bound=models.Model)


class State(models.TextChoices):
    LIVE = "live", "Active"
    EXPIRED = "expired", "Expired"
    ENDED = "ended", "Revoked"
    USED_UP = "used-up", "Limit reached"
    GONE = "gone", "File missing"
    HIDDEN = "hidden", "No access"
    OWNER_LEFT = "owner left", "Owner left"
    LOCKED = "locked", "Locked"

    @property
    def tone(self) -> str:
        """Return the tone of its badge."""
        return _TONES.get(self, "attention")


_TONES = {State.LIVE: "good", State.EXPIRED: "neutral", State.ENDED: "neutral", State.GONE: "danger"}


@dataclass(frozen=True)
class Rule(Generic[L]):
    """A link is in `state` if `holds` is true and no earlier rule applies. `where` is the same as a query.

    Both forms are needed: a filter can't call Python, and opening a link has no time to compose a query.
    """

    state: State
    holds: Callable[[L, datetime], bool]
    where: Callable[[Any, datetime], Q]


def state_of(link: L, rules: Iterable[Rule[L]], now: datetime, *, but: Collection[State] = ()) -> State:
    """Return the state by the first rule that holds. Rules of the states in `but` are left out."""
    return next((rule.state for rule in rules if rule.state not in but and rule.holds(link, now)), State.LIVE)


def choices_of(rules: Iterable[Rule[Any]]) -> list[tuple[str, str]]:
    """Return the choices of a filter by state: active links first, those that ended last."""
    states = dict.fromkeys(rule.state for rule in rules)
    return [(state.value, state.label) for state in (State.LIVE, *reversed(states))]


def state_column(found: QuerySet[L], rules: Iterable[Rule[L]], now: datetime) -> Case:
    """Return `state_of` as a column of these rows."""
    cases = [When(rule.where(found, now), then=Value(rule.state.value)) for rule in rules]
    return Case(*cases, default=Value(State.LIVE.value), output_field=models.CharField())
