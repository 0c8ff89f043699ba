"""The guard of a grant: it checks the acts that an operation needs and what it touches, as its row says, and filters answers.

Runs in the transport, so that nothing is sent that the grant does not allow. Anything out of scope seems not to exist.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, unquote

import msgspec
from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.interfaces.management.projects import Project
from dashboard.interfaces.management.secrets import Secret
from dashboard.interfaces.operations import OPERATIONS, Target
from dashboard.interfaces.storage.records import StoredObject
from dashboard.interfaces.storage.signed_links import PREFIX, Signing
from dashboard.interfaces.transport import Ask, ObjectStream, Transport
from dashboard.interfaces.transport.bodies import Payload, SizedReader
from dashboard.team.rights import allows
from dashboard.tokens.grants import Granted
from dashboard.tokens.scope import MANAGEMENT_ACTS, STORAGE_ACTS, Scope

LONGEST_LINK = timedelta(hours=1)
# A link this short only serves to prove that an object exists.
PROOF_SECONDS = 1
MOST_SIGNED = 1000
# The name of the object that keeps an empty folder.
MARKER = ".emptyFolderPlaceholder"
# At most this many folders are searched for an object.
DEEPEST = 20
NOT_COVERED = "Your access doesn't cover this section."
OUT_OF_REACH = "It doesn't exist, or your access doesn't cover it."

Call = Callable[[Ask, Any], Any]


@dataclass(frozen=True, slots=True)
class Touched:
    """What a request touches: keys of a bucket, or the whole bucket."""

    bucket: str
    keys: Sequence[str] | None = None


def _named(ask: Ask, member: str) -> list[Touched]:
    """The keys in the request's body."""
    return [Touched(ask.names["bucketName"], ask.json[member])]


def _both(ask: Ask) -> list[Touched]:
    body = ask.json
    to = Touched(body.get("destinationBucket", body["bucketId"]), [body["destinationKey"]])
    return [Touched(body["bucketId"], [body["sourceKey"]]), to]


def _linked(ask: Ask) -> list[Touched]:
    """The object that a signed link reads: `/object/sign/<bucket>/<key>`, percent-encoded."""
    bucket, _, key = unquote((ask.path or "").removeprefix(quote(PREFIX))).partition("/")
    return [Touched(bucket, [key])]


TOUCHED: Mapping[Target, Callable[[Ask], list[Touched]]] = MappingProxyType(
    {
        Target.NEW_BUCKET: lambda ask: [Touched(ask.json["name"])],
        Target.BUCKET: lambda ask: [Touched(ask.names["bucketId"])],
        Target.KEY: lambda ask: [Touched(ask.names["bucketName"], [ask.names["wildcard"]])],
        Target.PREFIXES: lambda ask: _named(ask, "prefixes"),
        Target.PATHS: lambda ask: _named(ask, "paths"),
        Target.BOTH_KEYS: _both,
        Target.LINK: _linked,
    }
)


def _acts_of(ask: Ask) -> tuple[str, ...]:
    """Return the acts that a request needs: those of its operation, and "change" if it may replace an object.

    Links of a second need no "sign": they prove to us that objects exist, and are not handed out.
    """
    right = OPERATIONS[ask.operation].right
    if right.target is Target.PATHS and ask.json["expiresIn"] <= PROOF_SECONDS:
        return tuple(act for act in right.acts if act != "sign")
    return (*right.acts, "change") if ask.headers.get("x-upsert", "").lower() == "true" else right.acts


def lacking(granted: Granted, *acts: str) -> str:
    """Return the first of these acts that a grant leaves out, in words; empty if none."""
    words = STORAGE_ACTS if granted.kind == "storage" else MANAGEMENT_ACTS
    missing = (words[act] for act in acts if not granted.scope.allows(act))
    return next((f"Your access doesn't include: {act}." for act in missing), "")


def longest_link(granted: Granted) -> timedelta:
    """Return the longest life of a signed link made now: an hour, or until the grant ends."""
    ends_at = granted.grant.ends_at
    return min(LONGEST_LINK, ends_at - timezone.now()) if ends_at else LONGEST_LINK


class ScopeGuard:
    """Restricts a giver's token to the scope of one grant."""

    def __init__(self, granted: Granted) -> None:
        self._granted = granted

    @property
    def _scope(self) -> Scope:
        return self._granted.scope

    def check(self, ask: Ask) -> Ask:
        """Return the request to send, with a body that stops when the right to send it ends.

        Raises NotFound if out of scope, NotAllowed for an act that the grant leaves out, and `GrantUnusable`.
        """
        self._require_allowed(ask)
        if ask.body is None or isinstance(ask.body, (bytes, Payload)):
            return ask
        return replace(ask, body=_CheckedBody(ask.body, lambda: self._require_allowed(ask)))

    def follow(self, ask: Ask, stream: ObjectStream) -> ObjectStream:
        stream.check = lambda: self._require_allowed(ask)
        return stream

    def _require_allowed(self, ask: Ask) -> None:
        self._granted.require()
        giver = self._granted.grant.giver
        if not allows(giver.role, ask.operation):
            sentence = f"Your access doesn't allow this. The role of {giver}, whose token it uses, is not enough."
            raise errors.NotAllowed(sentence, operation=ask.operation, service=_service(ask))
        right = OPERATIONS[ask.operation].right
        if right.target is Target.PROJECT:
            self._check_project(ask, right.section)
        elif right.target is Target.SHOWN_BUCKET:
            self._require(ask, shown=self._scope.shows_bucket(ask.names["bucketId"]))
        elif right.target is Target.FOLDER:
            parent, _ = _asked(ask)
            bucket = ask.names["bucketName"]
            self._require(ask, shown=self._scope.holds_folder(bucket, parent) or bool(self._scope.leads(bucket, parent)))
        elif right.target in TOUCHED:
            for place in TOUCHED[right.target](ask):
                self._check_touched(ask, place)
        elif right.target is not Target.SCOPE:
            raise _missing(ask)
        if sentence := lacking(self._granted, *_acts_of(ask)):
            raise errors.NotAllowed(sentence, operation=ask.operation, service=_service(ask))

    def fetch(self, ask: Ask, shape: Any, call: Call) -> Any:
        """Return the part of the answer that is in scope."""
        filters = {
            "M1": self._projects,
            "M3": self._organizations,
            "M5": self._secrets,
            "S2": self._buckets,
            "S13": self._listing,
            "S14": self._links,
            "S15": self._links,
        }
        return filters.get(ask.operation, _unchanged)(ask, shape, call)

    def _check_project(self, ask: Ask, section: str) -> None:
        self._require(ask, shown=ask.names["ref"] == self._scope.place)
        if section not in self._scope.sections:
            raise errors.NotFound(NOT_COVERED, operation=ask.operation, service=_service(ask))

    def _check_touched(self, ask: Ask, touched: Touched) -> None:
        scope, keys = self._scope, touched.keys
        if keys is None:
            # A new bucket needs the whole space, unless the grant names it.
            self._require(ask, shown=scope.shows_bucket(touched.bucket))
            is_new = OPERATIONS[ask.operation].right.target is Target.NEW_BUCKET
            if not (scope.is_whole if is_new else scope.holds_bucket(touched.bucket)):
                sentence = "Your access doesn't allow this. It covers only a part of the bucket."
                raise errors.NotAllowed(sentence, operation=ask.operation, service=_service(ask))
        else:
            self._require(ask, shown=all(scope.holds_key(touched.bucket, key) for key in keys))

    def _require(self, ask: Ask, *, shown: bool) -> None:
        if not shown:
            raise _missing(ask)

    def _projects(self, ask: Ask, shape: Any, call: Call) -> Any:
        return [project for project in call(ask, shape) if project.id == self._scope.place]

    def _organizations(self, ask: Ask, shape: Any, call: Call) -> Any:
        owners = {project.organization_id for project in self._projects(Ask("M1"), list[Project], call)}
        return [organization for organization in call(ask, shape) if organization.id in owners]

    def _secrets(self, ask: Ask, shape: Any, call: Call) -> Any:
        return [self._without_value(secret) for secret in call(ask, shape)]

    def _without_value(self, secret: Secret) -> Secret:
        """Blank a value. People who may change secrets see its digest, which shows whether a change was applied."""
        if self._scope.allows("values") or (secret.value_is != "value" and self._scope.allows("change")):
            return secret
        return msgspec.structs.replace(secret, value="")

    def _buckets(self, ask: Ask, shape: Any, call: Call) -> Any:
        return [bucket for bucket in call(ask, shape) if self._scope.shows_bucket(bucket.id)]

    def _links(self, ask: Ask, shape: Any, call: Call) -> Any:
        """Limit the life of signed links to an hour and to the end of the grant."""
        seconds = min(ask.json["expiresIn"], max(1, int(longest_link(self._granted).total_seconds())))
        return call(replace(ask, json={**ask.json, "expiresIn": seconds}), shape)

    def _listing(self, ask: Ask, shape: Any, call: Call) -> list[StoredObject]:
        """Return the rows of a folder in scope that really exist, or the folders that lead to the scope.

        S13 ignores case, and older services take `_` and `%` as wildcards, so objects are confirmed by their keys (S15). A row
        that is not confirmed becomes the marker of an empty folder, which pages hide: the next page continues after it.
        """
        bucket, (parent, start) = ask.names["bucketName"], _asked(ask)
        prefix = ask.json["prefix"]
        if not self._scope.holds_folder(bucket, parent):
            leads = [name for name in self._scope.leads(bucket, parent) if name.lower().startswith(start.lower())]
            shown = leads[ask.json["offset"] :][: ask.json["limit"]]
            return [StoredObject(name=f"{parent[len(prefix) :]}{name}") for name in shown]
        rows: list[StoredObject] = call(ask, shape)
        lead = parent[len(prefix) :]
        # Today's service names rows relative to the prefix, older ones relative to the last slash of the search.
        is_whole = bool(lead) and any(row.name.lower().startswith(lead.lower()) for row in rows)
        paths = [prefix + row.name if is_whole else parent + row.name for row in rows]
        objects = [path for path, row in zip(paths, rows, strict=True) if not row.is_folder and path.startswith(parent)]
        confirmed = self._confirmed(bucket, objects, call)
        marker = f"{lead if is_whole else ''}{MARKER}"

        def is_there(path: str, row: StoredObject) -> bool:
            if not row.is_folder:
                return path in confirmed
            if not path.startswith(parent):
                return False
            return is_whole or not _may_differ(parent) or self._has_object(bucket, f"{path}/", call)

        return [
            row if is_there(path, row) else StoredObject(name=marker, id=MARKER, metadata={"size": 0})
            for path, row in zip(paths, rows, strict=True)
        ]

    def _confirmed(self, bucket: str, keys: Sequence[str], call: Call) -> set[str]:
        """Return the keys that exist in exactly this spelling. S15."""
        found: set[str] = set()
        for start in range(0, len(keys), MOST_SIGNED):
            some = keys[start : start + MOST_SIGNED]
            signed = Signing(_Unguarded(call)).sign_many(bucket, some, expires_in=PROOF_SECONDS)
            found.update(item.path for item in signed if item.link is not None)
        return found

    def _has_object(self, bucket: str, folder: str, call: Call) -> bool:
        """Whether there is a confirmed object below a folder (S13, S15)."""
        body = {"prefix": folder, "limit": 100, "offset": 0, "sortBy": {"column": "name", "order": "asc"}, "search": ""}
        rows: list[StoredObject] = call(Ask("S13", {"bucketName": bucket}, json=body), list[StoredObject])
        if self._confirmed(bucket, [folder + row.name for row in rows if not row.is_folder], call):
            return True
        inside = [f"{folder}{row.name}/" for row in rows if row.is_folder and row.name]
        return folder.count("/") < DEEPEST and any(self._has_object(bucket, path, call) for path in inside)


class _CheckedBody:
    """A body that is checked before each block. If stopped, it is shorter than its announced length, so it is not stored."""

    def __init__(self, body: SizedReader, check: Callable[[], None]) -> None:
        self._body, self._check = body, check

    def read(self, size: int = -1, /) -> bytes:
        self._check()
        return self._body.read(size)

    def __len__(self) -> int:
        return len(self._body)


class _Unguarded(Transport):
    """Sends the guard's own calls without checking them."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def fetch(self, ask: Ask, shape: Any, *, otherwise: object = None) -> Any:  # noqa: ARG002 - signing doesn't use it
        return self._call(ask, shape)


def _unchanged(ask: Ask, shape: Any, call: Call) -> Any:
    return call(ask, shape)


def _asked(ask: Ask) -> tuple[str, str]:
    """Return the folder that S13 lists, and the prefix of names it searches for."""
    path = ask.json["prefix"] + ask.json["search"]
    cut = path.rfind("/") + 1
    return path[:cut], path[cut:]


def _may_differ(folder: str) -> bool:
    """Whether a listing may mix up this folder with others, by letter case or wildcards."""
    return folder.lower() != folder.upper() or "_" in folder or "%" in folder


def _missing(ask: Ask) -> errors.NotFound:
    return errors.NotFound(OUT_OF_REACH, operation=ask.operation, service=_service(ask))


def _service(ask: Ask) -> errors.Service:
    return OPERATIONS[ask.operation].service
