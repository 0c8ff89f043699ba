"""The members of an operation's row: strings and plain values, so that every layer above may read them.

A required member has no default, so a row without it can't be imported.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Literal

from dashboard.interfaces.errors import Service
from dashboard.interfaces.operations.deadlines import MAY_RUN_FOR, Pace

MEBIBYTE = 1 << 20
JSON_CAP = 10 * MEBIBYTE
LISTING_CAP = 32 * MEBIBYTE


class About(StrEnum):
    """What operations are about, in the order in which filters list it."""

    PROJECTS = "Projects"
    SECRETS = "Secrets"
    TYPES = "Types"
    FUNCTIONS = "Functions"
    HOSTNAME = "Hostname"
    NETWORK = "Network"
    ROOT_KEY = "Root key"
    BUCKETS = "Buckets"
    OBJECTS = "Objects"
    LINKS = "Links"


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent, as in the document; `cap` limits the decoded bytes of a JSON answer.

    `taken`: buckets of these names would make its path that of another operation.
    """

    id: str
    method: str
    path: str
    pace: Pace = Pace.QUICK
    cap: int = JSON_CAP
    taken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Words:
    """`text` completes the sentence "We tried to …". `causes` are likely ones of this operation alone, by failure.

    `act`: what stands before a target instead of the verb of `text`.
    """

    text: str
    about: About
    causes: Mapping[str, str] = field(default_factory=dict)
    act: str = ""


class Target(StrEnum):
    """What an operation touches, and so what a grant has to cover."""

    NONE = "no grant allows it"
    SCOPE = "a list, of which the part in scope is passed on"
    PROJECT = "a section of the project"
    NEW_BUCKET = "a bucket that the request names"
    SHOWN_BUCKET = "a bucket that is in scope, or a part of it"
    BUCKET = "a whole bucket"
    FOLDER = "a folder that is listed"
    KEY = "an object"
    PREFIXES = "the objects in `prefixes`"
    PATHS = "the objects in `paths`"
    BOTH_KEYS = "an object, and the one that is made of it"
    LINK = "the object of a signed link"


@dataclass(frozen=True, slots=True)
class Right:
    """Who may do it: `least` is the least role; a grant needs `target`, `acts` and, of a project, `section`.

    A viewer may read what reveals no secret, an operator does daily work, and an administrator what can't be undone, what
    everybody with the project notices, and what concerns the root key. `proves` is the act that an answer proves or refuses to a
    storage token, where it is one alone; `by_rows`: an empty answer proves nothing, as who may not look gets one, too.
    """

    least: Literal["viewer", "operator", "administrator"]
    target: Target
    acts: tuple[str, ...]
    section: str = ""
    proves: Literal["", "list", "read", "insert", "update", "delete"] = ""
    by_rows: bool = False

    def __post_init__(self) -> None:
        if (self.target is Target.PROJECT) != bool(self.section):
            raise ValueError("A project's operation has a section, and no other one has.")


class Kept(StrEnum):
    """What is kept of an answer. Values of secrets, root keys and bodies never are."""

    LAST_KNOWN = "shown to the same token while the service doesn't answer"
    NOTHING = "nothing"
    NEVER_LEFT = "nothing, and no call outlives its request"


class Doubt(StrEnum):
    """What is done when the answer to a write is lost."""

    READ_BACK = "the state is read until it shows the outcome"
    RESEND = "the same, and until then it may be sent again"
    JOB = "the job that sends it looks"


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a lost answer is settled; `changes` names the lists on pages to refresh then.

    `may_run_for`: how long after we stopped waiting the service may still carry it out.
    """

    doubt: Doubt
    changes: str
    may_run_for: timedelta = MAY_RUN_FOR


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the document."""

    request: Request
    words: Words
    right: Right

    @property
    def id(self) -> str:
        return self.request.id

    @property
    def method(self) -> str:
        return self.request.method

    @property
    def path(self) -> str:
        return self.request.path

    @property
    def pace(self) -> Pace:
        return self.request.pace

    @property
    def service(self) -> Service:
        return "management" if self.id.startswith("M") else "storage"

    @property
    def reads(self) -> bool:
        """Whether it changes nothing, so that it may be retried."""
        return isinstance(self, Read)


@dataclass(frozen=True, slots=True)
class Read(Operation):
    """An operation that changes nothing."""

    kept: Kept


@dataclass(frozen=True, slots=True)
class Write(Operation):
    """An operation that changes something."""

    settlement: Settlement
