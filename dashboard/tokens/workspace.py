"""The Workspace: a person, their stored tokens, and the two interfaces built from them."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import Http404

from dashboard.interfaces import ManagementInterface, Placement, StorageInterface, Token
from dashboard.interfaces.management.projects import Project
from dashboard.journal.recorder import Change, record
from dashboard.team.models import Person
from dashboard.tokens import names as project_names
from dashboard.tokens import spaces
from dashboard.tokens.errors import TokenLocked, TokenMissing
from dashboard.tokens.last_known import Memory, Readings, Replay
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.spaces import Space
from dashboard.tokens.usage import Usage
from dashboard.web.call_slots import Waiting
from dashboard.web.database import read_rows


class Inactive(Exception):  # noqa: N818 - a state of the person
    """The person is deactivated."""


class Workspace:
    """One active person's access to the service: made per request, never kept or shared.

    `action` names what the person does where it makes several changes, such as an upload or a job; the journal lists them as one.
    The stored tokens are read once, in the constructor. Pool threads may then use everything but `record` and `flush`, which
    use the database.
    """

    def __init__(self, person: Person, *, readings: Readings | None = None) -> None:
        if not person.is_active:
            raise Inactive
        self.person = person
        self.action = ""
        self._tokens: dict[tuple[str, str], StoredToken] = {}
        for token in read_rows(StoredToken, "WHERE person_id = %s", (person.pk,)):
            token.person = person
            self._tokens[token.kind, token.space] = token
        self._usage = Usage()
        self._readings = readings
        self._gate = readings.gate if isinstance(readings, Replay) else Waiting().gate

    @cached_property
    def management(self) -> ManagementInterface:
        """The management interface. Raises `TokenMissing` or `TokenBroken`; Http404 if not set up."""
        token = self._token(Kind.MANAGEMENT, "")
        return ManagementInterface(
            settings.MANAGEMENT_URL,
            Token(token.open()),
            observer=self._usage.observer(token),
            gate=self._gate,
            memory=self._memory(token),
        )

    def storage(self, space: str) -> StorageInterface:
        """Return one space's storage interface. Raises as `management` does."""
        self._require(space)
        token = self._token(Kind.STORAGE, space)
        forced = settings.STORAGE_AUTHORIZATION
        placement = Placement(token.placement if forced == "auto" else forced)
        return StorageInterface(
            spaces.address(space),
            Token(token.open()),
            placement=placement,
            observer=self._usage.observer(token),
            gate=self._gate,
            memory=self._memory(token),
        )

    def storage_public_url(self, space: str) -> str | None:
        """Return the space's address for browsers; None if everything is streamed through us."""
        self._require(space)
        return spaces.public_address(space)

    def spaces(self) -> list[Space]:
        """Return the projects of M1 and the spaces with a stored token, sorted by title.

        Without a management token only the latter. Raises what M1 raises.
        """
        if spaces.mode() == "single":
            return [Space(name=spaces.SHARED, title=spaces.SHARED_TITLE, has_token=self.has(Kind.STORAGE, spaces.SHARED))]
        if spaces.mode() == "none":
            return []
        named = {space.name: space.title for space in self.known_spaces()}
        if settings.MANAGEMENT_URL and self.has(Kind.MANAGEMENT):
            named |= {project.id: project.name for project in self.management.projects.all() if spaces.can_be(project.id)}
        found = [Space(name=name, title=title, has_token=self.has(Kind.STORAGE, name)) for name, title in named.items()]
        return sorted(found, key=lambda space: (space.title.casefold(), space.name))

    def known_spaces(self) -> list[Space]:
        """Return the spaces with a stored token, by name, without a call."""
        names = sorted(space for kind, space in self._tokens if kind == Kind.STORAGE and spaces.can_be(space))
        return [Space(name=name, title=name, has_token=True) for name in names]

    def title(self, space: str) -> str:
        """Return the space's display name, as `project_name` does."""
        if spaces.mode() == "single":
            return spaces.SHARED_TITLE
        return self.project_name(space)

    def project_name(self, ref: str) -> str:
        """Return a project's name, or its ref if unknown. Waits a second at most and never fails."""
        return next((project.name for project in self.projects() if project.id == ref), ref)

    def projects(self) -> Sequence[Project]:
        """Return the projects, up to a minute old; none if M1 doesn't answer within a second."""
        token = self._tokens.get((Kind.MANAGEMENT, ""))
        if not settings.MANAGEMENT_URL or token is None or not token.opens:
            return ()
        if self.is_replay:
            return project_names.known(token.fingerprint)
        return project_names.projects(token.fingerprint, self.management.projects.all)

    def known_name(self, ref: str) -> str:
        """Return the cached name of a project that a token reached; empty for others."""
        if ref and self.has(Kind.STORAGE, ref) and not self.has(Kind.MANAGEMENT):
            return ref
        known = project_names.known(self.fingerprint(Kind.MANAGEMENT))
        name = next((project.name for project in known if project.id == ref), "")
        return name or (ref if self.has(Kind.STORAGE, ref) else "")

    @property
    def is_replay(self) -> bool:
        """Whether reads are answered with last known data because the service doesn't answer."""
        return isinstance(self._readings, Replay)

    def require(self, kind: str, space: str = "") -> None:
        """Raise `TokenMissing` or `TokenLocked`; Http404 if the interface is not set up."""
        self._token(kind, space)

    def has(self, kind: str, space: str = "") -> bool:
        """Return whether a token is stored, working or not."""
        return (kind, space) in self._tokens

    @property
    def can_manage(self) -> bool:
        """Whether there is a management interface and a stored token for it."""
        return bool(settings.MANAGEMENT_URL) and self.has(Kind.MANAGEMENT)

    def refused_at(self, kind: str, space: str = "") -> datetime | None:
        """Return when the service last refused the stored token."""
        token = self._tokens.get((kind, space))
        return token.refused_at if token else None

    def fingerprint(self, kind: str, space: str = "") -> str:
        """Return the stored token's fingerprint; empty if there is none or it is locked."""
        token = self._tokens.get((kind, space))
        return token.fingerprint if token and not token.is_locked else ""

    def fingerprint_for(self, operation: str, place: str) -> str:
        """Return the fingerprint of the token that an operation uses at a project or space."""
        return self.fingerprint(Kind.STORAGE, place) if operation.startswith("S") else self.fingerprint(Kind.MANAGEMENT)

    def record(
        self, operation: str, *, target: str = "", place: str = "", before: Any = None, expected: str = ""
    ) -> AbstractContextManager[Change]:
        """Journal one write: open an entry, run the block, close it with the outcome.

        `operation` is the document's id, `place` the project's ref or the space; `expected` is for `jobs.settlement`. Raises
        `NotRecorded` before anything is sent.
        """
        entry = record(
            person_id=self.person.pk,
            operation=operation,
            target=target,
            place=place,
            before=before,
            token=self.fingerprint_for(operation, place),
            expected=expected,
            action=self.action,
        )
        return self._record(operation, entry)

    @property
    def rest(self) -> float:
        """Seconds until the service accepts the next call; 0 if it set no limit."""
        return self._usage.rest

    def seconds_below(self, reserve: int) -> float:
        """Seconds until a rate limit starts anew of which fewer than `reserve` calls are left; 0 if there is none."""
        return max(self.rest, self._usage.seconds_below(reserve))

    def flush(self, words: str = "") -> None:
        """Save token usage and the message of a refusal. Call once, in the request's thread."""
        self._usage.flush({token.pk: token for token in self._tokens.values()}, words=words)

    def save_readings(self, words: str = "") -> None:
        """Save what was read and token usage now, for a workspace that no view flushes."""
        self.flush(words)
        if self._readings is not None:
            self._readings.flush()

    def _memory(self, token: StoredToken) -> Memory | None:
        return Memory(self._readings, token.fingerprint, token.space) if self._readings else None

    @contextmanager
    def _record(self, operation: str, entry: AbstractContextManager[Change]) -> Iterator[Change]:
        mark = self._usage.mark()
        with entry as change:
            yield change
            change.status = change.status or self._usage.status_since(mark, operation)

    def _token(self, kind: str, space: str) -> StoredToken:
        if kind == Kind.MANAGEMENT and not settings.MANAGEMENT_URL:
            raise Http404("Management is not set up here.")
        token = self._tokens.get((kind, space))
        if token is None:
            raise TokenMissing(kind=kind, space=space)
        if token.is_locked:
            raise TokenLocked(kind=kind, space=space)
        return token

    @staticmethod
    def _require(space: str) -> None:
        if not spaces.can_be(space):
            raise Http404("There is no such space.")

    def __repr__(self) -> str:
        return f"<Workspace of person {self.person.pk}>"
