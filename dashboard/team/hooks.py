"""Hooks that upper layers register in their `feature`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import ResolverMatch

from dashboard.team.models import Person
from dashboard.web.text import counted


@dataclass(frozen=True, slots=True)
class Possession:
    """A kind of possession that can be handed over, named like "share link". `names` is the plural if irregular.

    `of` finds those still in use. `hand_over(person, receiver)` transfers those that the receiver's own tokens can serve, and
    returns how many; it is called if the receiver's role has the `rights`.
    """

    name: str
    of: Callable[[Person], QuerySet[Any]]
    hand_over: Callable[[Person, Person], int]
    rights: tuple[str, ...] = ()
    names: str = ""

    def counted(self, count: int) -> str:
        return counted(count, self.name, self.names)


# Returns why an address with this query is refused, "" if it isn't. The query is None if a script adds the object or folder.
Refuse = Callable[[ResolverMatch, str | None], str]

possessions: list[Possession] = []
# Rows of a person's possessions, past and present, without factors. If there are any, somebody else's link locks the account;
# starting over deletes them.
belongings: list[Callable[[Person], QuerySet[Any]]] = []
# Whether the account (first argument) has access that the maker of a link (second) must not gain by setting its password.
holdings: list[Callable[[Person, Person], bool]] = []
# Called before a person's rows are deleted when they start over with a locked account, to end what these rows allow.
on_start_over: list[Callable[[Person], None]] = []
# Return sentences about what works again when an owner (first argument) reactivates a person (second).
on_reactivation: list[Callable[[Person, Person], list[str]]] = []
# Return a check of addresses for a request's person, beyond their role, or None. Controls with refused addresses are disabled.
refusals: list[Callable[[HttpRequest], Refuse | None]] = []
