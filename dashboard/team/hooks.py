"""Hooks that upper layers register in `AppConfig.ready`."""

from collections.abc import Callable

from dashboard.team.models import Person

# Whether the person has stored tokens, which a password set by another person's link must not unlock.
has_tokens: list[Callable[[Person], bool]] = []
# Sentences about what works again when an owner (first argument) reactivates a person (second).
on_reactivation: list[Callable[[Person, Person], list[str]]] = []
# The URL name of the page to return to after a password change.
account_page: list[str] = []
