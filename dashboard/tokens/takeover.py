"""Decide what a person may take over from another: only what their own token can do, and could read anyway."""

from collections.abc import Collection

from dashboard.interfaces.management.projects import Project
from dashboard.team.models import Person
from dashboard.tokens.credentials import own_token
from dashboard.tokens.formats import is_service_key
from dashboard.tokens.last_known import recall
from dashboard.tokens.models import Grant, Kind


class Takeover:
    """A handover from one person to another, who must not see anything that their own token can't read.

    That is certain if both store the same token, if the receiver's is a service key (which reads every object), or if their
    management token last listed the project. Calls no service.
    """

    def __init__(self, person: Person, receiver: Person) -> None:
        self.receiver = receiver
        self._person = person
        self._known: dict[tuple[str, str], bool] = {}

    def allows(self, kind: str, place: str, grants: Collection[int] = ()) -> bool:
        """Whether the receiver can continue what was made at a project or space, through these grants or none.

        What was made through a grant ends with it, so only the grant's giver can take it over.
        """
        given = Grant.objects.filter(pk__in=grants, kind=kind, place=place) if grants else None
        if given is not None and given.exists():
            return not given.exclude(giver=self.receiver).exists() and own_token(self.receiver, kind, place) is not None
        if (kind, place) not in self._known:
            self._known[kind, place] = self._reads(kind, place)
        return self._known[kind, place]

    def _reads(self, kind: str, place: str) -> bool:
        own = own_token(self.receiver, kind, place)
        if own is None:
            return False
        if self._person.stored_tokens.filter(kind=kind, fingerprint=own.fingerprint, space=own.space).exists():
            return True
        if kind == Kind.STORAGE:
            return is_service_key(own.open())
        listed = recall(own.fingerprint, "M1", list[Project])
        return listed is not None and any(project.id == place for project in listed[0])
