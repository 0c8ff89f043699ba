"""What upper layers add to the team's own acts. They register it in `AppConfig.ready`."""

from collections.abc import Callable

from dashboard.team.models import Person

# Whether there is something of this person that a new password must not open by itself: stored tokens.
has_tokens: list[Callable[[Person], bool]] = []
# Sentences about what works again when an owner (the first argument) reactivates a person (the second).
on_reactivation: list[Callable[[Person, Person], list[str]]] = []
