"""The Workspace: a person, their stored tokens, and the two interfaces built from them."""

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, TypedDict, cast

from django.conf import settings
from django.http import Http404

from dashboard.interfaces import Gate, ManagementInterface, Observer, Placement, StorageInterface, Token
from dashboard.interfaces.management import Routed
from dashboard.interfaces.management.projects import Project
from dashboard.interfaces.operations import OPERATIONS
from dashboard.interfaces.transport import Ask, Guard, Transport
from dashboard.journal.recorder import Change, record
from dashboard.team.models import Person
from dashboard.tokens import names as project_names
from dashboard.tokens import spaces
from dashboard.tokens.errors import GrantUnusable, TokenLocked, TokenMissing
from dashboard.tokens.grants import Granted, chosen, mark_used, named, received, revoked
from dashboard.tokens.guard import OUT_OF_REACH, ScopeGuard, lacking
from dashboard.tokens.last_known import Memory, Readings, Replay
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.spaces import Space
from dashboard.tokens.usage import Usage
from dashboard.web.failures import local_problems
from dashboard.web.failures.cards import Stopped
from dashboard.web.limits.slots import Waiting
from dashboard.web.process.database import read_rows

Credential = StoredToken | Granted
WIDENED_BY = "The person who gave you this access can widen it."


class Hooks(TypedDict):
    """An interface's arguments that observe, delay, cache and restrict its calls."""

    observer: Observer
    gate: Gate
    memory: Memory | None
    guard: Guard | None


class Inactive(Exception):  # noqa: N818 - a state of the person
    """The person is deactivated."""


class Workspace:
    """One active person's access to the service: made per request, never shared, kept only for unfinished calls (`late`).

    One credential is used at each place (a project's management, or a space): the one that the person chose, else their own
    token, else the latest grant that works. `grants` names the grants to use instead, for work that began with them; elsewhere
    such work uses the person's own tokens. `is_visited`: for a visitor of a link. `action` identifies an act with several
    changes, such as an upload or a job; the journal lists them as one.

    Credentials are read once, in the constructor. Pool threads may then use all but `record` and `flush`, which use the database.
    """

    def __init__(
        self, person: Person, *, readings: Readings | None = None, grants: Collection[int] | None = None, is_visited: bool = False
    ) -> None:
        if not person.is_active:
            raise Inactive
        self.person, self.action, self.is_visited = person, "", is_visited
        self._tokens: dict[tuple[str, str], StoredToken] = {}
        for token in read_rows(StoredToken, "WHERE person_id = %s", (person.pk,)):
            token.person = person
            self._tokens[token.kind, token.space] = token
        self._received = received(person) if grants is None else []
        self._usable = [one for one in self._received if not one.reason]
        self._granted = chosen(person, self._tokens, self._usable) if grants is None else named(person, grants)
        self._used: set[tuple[str, str]] = set()
        self._usage = Usage()
        self._readings = readings
        self._gate = readings.gate if isinstance(readings, Replay) else Waiting(is_visitor=is_visited).gate

    @cached_property
    def management(self) -> ManagementInterface:
        """The management interface. Raises `TokenMissing` or `TokenBroken`; Http404 if not set up.

        Each call uses the credential of its project. Lists of projects and organizations come from all of them.
        """
        self.require(Kind.MANAGEMENT)
        if not self._granted_refs:
            return ManagementInterface.over(self._managing(self.credential(Kind.MANAGEMENT)))
        return ManagementInterface.over(Routed(self._route))

    def storage(self, space: str) -> StorageInterface:
        """Return one space's storage interface. Raises the same errors as `management`."""
        self._require(space)
        credential = self.credential(Kind.STORAGE, space)
        forced = settings.STORAGE_AUTHORIZATION
        placement = Placement(credential.placement if forced == "auto" else forced)
        return StorageInterface(spaces.address(space), Token(credential.open()), placement=placement, **self._hooks(credential))

    def storage_public_url(self, space: str) -> str | None:
        """Return the space's address for browsers; None if everything is streamed through us."""
        self._require(space)
        return spaces.public_address(space)

    def redirect_url(self, space: str) -> str | None:
        """Return the address to redirect downloads to; None if they must be streamed through us, as with every grant."""
        return None if self.grant_at(Kind.STORAGE, space) else self.storage_public_url(space)

    def signing_url(self, space: str) -> str | None:
        """Return the address to use in signed links; None if browsers can't reach it, or the grant allows no links."""
        granted = self.grant_at(Kind.STORAGE, space)
        return self.storage_public_url(space) if granted is None or granted.scope.allows("sign") else None

    def spaces(self) -> list[Space]:
        """Return the projects of M1 and the spaces with a stored token, sorted by title.

        Without a management token only the latter. Raises the errors of M1.
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
        """Return the spaces with a stored token or a grant, by name. Calls no service."""
        held = {*self._tokens, *self._granted}
        names = sorted(space for kind, space in held if kind == Kind.STORAGE and spaces.can_be(space))
        return [Space(name=name, title=self.known_name(name), has_token=True) for name in names]

    def title(self, space: str) -> str:
        """Return the space's display name, as `project_name` does."""
        return spaces.SHARED_TITLE if spaces.mode() == "single" else self.project_name(space)

    def project_name(self, ref: str) -> str:
        """Return a project's name, or its ref if unknown. Waits at most a second and never fails. Safe in pool threads."""
        return next((project.name for project in self.projects() if project.id == ref), self._granted_name(ref) or ref)

    def projects(self) -> Sequence[Project]:
        """Return the projects, up to a minute old; none if M1 doesn't answer within a second."""
        if not settings.MANAGEMENT_URL:
            return ()
        return project_names.joined(self._projects_of(credential) for credential in self._listing if credential.opens)

    def known_name(self, ref: str) -> str:
        """Return the cached name of a project or space that a credential has reached; empty for others."""
        if ref == spaces.SHARED:
            return spaces.SHARED_TITLE if self.has(Kind.STORAGE, ref) else self._former_name(ref)
        known = project_names.joined(project_names.known(fingerprint) for fingerprint in self.listing_fingerprints)
        name = next((project.name for project in known if project.id == ref), "") or self._granted_name(ref)
        return name or (ref if self.has(Kind.STORAGE, ref) else self._former_name(ref))

    def known_states(self) -> dict[str, str]:
        """Return the cached states of projects by ref, as the service names them; "" where it names none."""
        known = project_names.joined(project_names.known(fingerprint) for fingerprint in self.listing_fingerprints)
        return {project.id: project.status or "" for project in known}

    @property
    def listing_fingerprints(self) -> list[str]:
        """The fingerprints of the credentials that list projects: the own token's, then those of grants."""
        return [one.fingerprint for one in self._listing if isinstance(one, Granted) or not one.is_locked]

    @property
    def is_replay(self) -> bool:
        """Whether reads are answered with last known data because the service doesn't answer."""
        return isinstance(self._readings, Replay)

    @property
    def grants(self) -> list[int]:
        """The ids of all grants in use, for work that outlives the request: `Workspace(person, grants=...)`."""
        return sorted(granted.grant.pk for granted in self._granted.values())

    def act_through(self, grants: Collection[int]) -> None:
        """Use these grants from now on, and elsewhere the person's own tokens."""
        self._granted = named(self.person, grants)
        self.__dict__.pop("management", None)

    def require_reach(self, space: str, bucket: str, *, keys: Iterable[str] = (), folders: Iterable[str] = ()) -> None:
        """Raise Http404 for anything outside the grant used at a space. Calls no service."""
        granted = self.grant_at(Kind.STORAGE, space)
        if granted is None:
            return
        scope = granted.scope
        reached = scope.shows_bucket(bucket) and all(scope.holds_key(bucket, key) for key in keys)
        if not reached or not all(scope.holds_folder(bucket, folder) for folder in folders):
            raise Http404(OUT_OF_REACH)

    def require_act(self, kind: str, place: str, *acts: str) -> None:
        """Raise `Stopped` for an act of ours that the grant in use leaves out."""
        granted = self.grant_at(kind, place)
        if granted and (sentence := lacking(granted, *acts)):
            raise Stopped(replace(local_problems.forbidden(sentence), cause=WIDENED_BY))

    def recheck(self) -> None:
        """Raise `GrantUnusable` once a grant used here no longer works. Checks again each second, in its own thread."""
        for at in tuple(self._used):
            self._granted[at].require()

    def followed(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield blocks that other threads read, while `recheck` allows it."""
        with closing(cast("Generator[bytes]", blocks)):
            for block in blocks:
                self.recheck()
                yield block

    def require(self, kind: str, place: str = "") -> None:
        """Raise `TokenMissing` or `TokenLocked`; Http404 if the interface is not set up."""
        if kind == Kind.MANAGEMENT and not place and self._granted_refs:
            return
        self.credential(kind, place)

    def has(self, kind: str, place: str = "") -> bool:
        """Whether a token is stored, working or not, or a grant is in use."""
        if kind == Kind.MANAGEMENT:
            return (kind, "") in self._tokens or (place in self._granted_refs if place else bool(self._granted_refs))
        return (kind, place) in self._tokens or (kind, place) in self._granted

    def has_own(self, kind: str, place: str) -> bool:
        """Whether the person has a token of their own for a project or space."""
        token = self._tokens.get((kind, Kind.space(kind, place)))
        return token is not None and token.opens

    def grant_at(self, kind: str, place: str) -> Granted | None:
        """Return the grant used at a project or space; None if it is the person's own token."""
        return self._granted.get((kind, place))

    @cached_property
    def latest_grants(self) -> dict[tuple[str, str], Granted]:
        """The latest grant that the person has or had, by kind and place, usable or not. Uses the database."""
        found = reversed([*self._received, *revoked(self.person)])
        return {(one.kind, one.grant.place): one for one in found}

    @property
    def has_grants(self) -> bool:
        return bool(self._granted)

    def usable_at(self, kind: str, place: str) -> list[Granted]:
        """Return the grants that could be used at a project or space, latest first."""
        return [one for one in self._usable if (one.kind, one.grant.place) == (kind, place)]

    @property
    def can_manage(self) -> bool:
        """Whether there is a management interface and a stored token for it."""
        return bool(settings.MANAGEMENT_URL) and self.has(Kind.MANAGEMENT)

    def fingerprint(self, kind: str, place: str = "") -> str:
        """Return the fingerprint of the credential used at a project or space; empty if there is none or it is locked.

        Without a place, that of the person's own management token.
        """
        credential = self._find(kind, place)
        if isinstance(credential, Granted):
            return credential.fingerprint
        return credential.fingerprint if credential and not credential.is_locked else ""

    def fingerprint_for(self, operation: str, place: str) -> str:
        """Return the fingerprint of the credential that an operation uses at a project or space."""
        return self.fingerprint(Kind.of(operation), place)

    def record(
        self, operation: str, *, target: str = "", place: str = "", before: Any = None, expected: str = "", right: str = ""
    ) -> AbstractContextManager[Change]:
        """Journal one write: open an entry, run the block, close the entry with the outcome.

        `operation` is the document's id, `place` the project's ref or the space. `expected` is for `jobs.settlement`. `right` is
        the act that the person needs the right to, if that is not the operation. Raises `RoleMissing` or `NotRecorded` before
        anything is sent.
        """
        entry = record(
            person_id=self.person.pk,
            operation=operation,
            target=target,
            place=place,
            before=before,
            token=self.fingerprint_for(operation, place),
            through_id=self._giver_at(operation, place),
            expected=expected,
            action=self.action,
            right=right,
        )
        return self._record(operation, entry)

    def note(self, operation: str, *, target: str, kind: str, place: str) -> None:
        """Journal an act of ours that used a grant, such as a download. With one's own token there is no entry."""
        if granted := self.grant_at(kind, place):
            who, whose = self.person.pk, granted.grant.giver_id
            with record(
                person_id=who, operation=operation, target=target, place=place, token=granted.fingerprint, through_id=whose
            ):
                pass

    @property
    def rest(self) -> float:
        """Seconds until the service accepts the next call; 0 if it set no limit."""
        return self._usage.rest

    def seconds_below(self, reserve: int) -> float:
        """Return the seconds until rate limits with fewer than `reserve` calls left start anew; 0 if there are none."""
        return max(self.rest, self._usage.seconds_below(reserve))

    def flush(self, words: str = "") -> None:
        """Save token usage and the message of a refusal. Call once, in the request's thread."""
        tokens = [*self._tokens.values(), *(granted.token for granted in self._granted.values() if granted.token)]
        mark_used([self._granted[at].grant for at in self._used])
        self._usage.flush({token.pk: token for token in tokens}, words=words)

    def save_readings(self, words: str = "") -> None:
        """Save readings and token usage now, for a workspace that no view flushes."""
        self.flush(words)
        if self._readings is not None:
            self._readings.flush()

    @property
    def _granted_refs(self) -> list[str]:
        return [place for kind, place in self._granted if kind == Kind.MANAGEMENT]

    @property
    def _listing(self) -> list[Credential]:
        own = self._tokens.get((Kind.MANAGEMENT, ""))
        return [*([own] if own else []), *(self._granted[Kind.MANAGEMENT, ref] for ref in self._granted_refs)]

    def _granted_name(self, ref: str) -> str:
        granted = self._granted.get((Kind.STORAGE, ref))
        return granted.grant.name if granted else ""

    def _former_name(self, ref: str) -> str:
        """Return the name of a place from a grant to this person, not to a role: that may have ended before they had the role."""
        found = [one.grant for kind in Kind.values if (one := self.latest_grants.get((kind, ref)))]
        return next((grant.name for grant in found if grant.name and grant.person_id == self.person.pk), "")

    def _projects_of(self, credential: Credential) -> Sequence[Project]:
        fingerprint = credential.fingerprint
        if self.is_replay:
            return project_names.known(fingerprint)
        ask = ManagementInterface.over(self._managing(credential, waits=True)).projects.all
        return project_names.projects(fingerprint, ask)

    def _route(self, ask: Ask) -> Sequence[Transport]:
        """Return the transports of a management operation: that of its project, or all that list projects."""
        if ref := ask.names.get("ref"):
            return [self._managing(self.credential(Kind.MANAGEMENT, ref))]
        if OPERATIONS[ask.operation].reads:
            return [self._managing(credential) for credential in self._listing]
        return [self._managing(self.credential(Kind.MANAGEMENT))]

    def _managing(self, credential: Credential, *, waits: bool = False) -> Transport:
        return Transport(settings.MANAGEMENT_URL, Token(credential.open()), **self._hooks(credential, waits=waits))

    def _hooks(self, credential: Credential, *, waits: bool = False) -> Hooks:
        """Return the hooks that observe, delay, cache and restrict the calls of a credential, which must be open."""
        token = credential.token if isinstance(credential, Granted) else credential
        if isinstance(credential, Granted):
            self._used.add((credential.kind, credential.grant.place))
        return Hooks(
            observer=self._usage.observer(cast("StoredToken", token)),
            gate=self._gate,
            memory=Memory(self._readings, credential.fingerprint, credential.space, waits=waits) if self._readings else None,
            guard=ScopeGuard(credential) if isinstance(credential, Granted) else None,
        )

    def _giver_at(self, operation: str, place: str) -> int | None:
        granted = self.grant_at(Kind.of(operation), place)
        return granted.grant.giver_id if granted else None

    def _find(self, kind: str, place: str) -> Credential | None:
        granted = self._granted.get((kind, place))
        return granted or self._tokens.get((kind, Kind.space(kind, place)))

    @contextmanager
    def _record(self, operation: str, entry: AbstractContextManager[Change]) -> Iterator[Change]:
        mark = self._usage.mark()
        with entry as change:
            yield change
            change.status = change.status or self._usage.status_since(mark, operation)

    def credential(self, kind: str, place: str = "") -> Credential:
        """Return the credential used at a project or space. Raises `TokenMissing`, `GrantUnusable` or `TokenLocked`."""
        if kind == Kind.MANAGEMENT and not settings.MANAGEMENT_URL:
            raise Http404("Management is not set up here.")
        credential = self._find(kind, place)
        if credential is None:
            raise TokenMissing(kind=kind, space=place if kind == Kind.STORAGE else "")
        if isinstance(credential, Granted):
            if credential.reason:
                raise GrantUnusable(credential.reason, kind=kind, space=place)
        elif credential.is_locked:
            raise TokenLocked(kind=kind, space=credential.space)
        return credential

    @staticmethod
    def _require(space: str) -> None:
        if not spaces.can_be(space):
            raise Http404("There is no such space.")

    def __repr__(self) -> str:
        return f"<Workspace of person {self.person.pk}>"
