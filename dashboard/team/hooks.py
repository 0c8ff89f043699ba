"""Hooks that upper layers register in `AppConfig.ready`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.forms import Field
from django.http import HttpRequest
from django.urls import ResolverMatch

from dashboard.team.models import Person
from dashboard.web.text import counted


@dataclass(frozen=True, slots=True)
class Possession:
    """One kind of what people have and somebody else can take over, named like "share link"; `names` is the plural if irregular.

    `of` finds those that are still of use. `hand_over(person, receiver)` gives what the receiver's own role and tokens serve, and
    returns how many of them.
    """

    name: str
    of: Callable[[Person], QuerySet[Any]]
    hand_over: Callable[[Person, Person], int]
    names: str = ""

    def counted(self, count: int) -> str:
        return counted(count, self.name, self.names)


@dataclass(frozen=True, slots=True)
class Offer:
    """What an owner (first argument) can give a new person (second): fields of "Add person", and what to do with their values.

    `doubts`: sentences about the values that are asked about first.
    """

    fields: Callable[[Person], Mapping[str, Field]]
    doubts: Callable[[Person, Mapping[str, Any]], list[str]]
    accept: Callable[[Person, Person, Mapping[str, Any]], None]


# Says why an address with a query is refused; empty if it isn't. With None, a script adds the object or folder later.
Refuse = Callable[[ResolverMatch, str | None], str]

possessions: list[Possession] = []
# Rows of what a person has or had besides factors. If there are any, somebody else's link locks the account; starting over
# deletes them.
belongings: list[Callable[[Person], QuerySet[Any]]] = []
# Whether the account (first argument) holds access that the maker of a link (second) must not get by setting its password.
holdings: list[Callable[[Person, Person], bool]] = []
# End what a person has, before its rows are deleted when they start over with a locked account.
on_start_over: list[Callable[[Person], None]] = []
# Sentences about what works again when an owner (first argument) reactivates a person (second).
on_reactivation: list[Callable[[Person, Person], list[str]]] = []
# URL names that stay open to people who have yet to add a second factor; the first is the page that they are led to.
factor_pages: list[str] = []
# The URL name of the page that unlocks a locked account.
unlock_page: list[str] = []
# The URL name of the page to return to after a password change.
account_page: list[str] = []
# What "Add person" offers besides the account.
offers: list[Offer] = []
# What else than the role refuses addresses to the person of a request; None if nothing does. Their controls are disabled.
refusals: list[Callable[[HttpRequest], Refuse | None]] = []
