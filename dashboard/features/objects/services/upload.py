"""Plan an upload (names, conflicts), then store each file."""

import mimetypes
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from dashboard.catalog import leases, writes
from dashboard.catalog.keys import folder_of, numbered
from dashboard.features.objects.services import receipts
from dashboard.features.objects.services.receipts import Found, Parallel, Receipt, read_existing, taken, touched
from dashboard.interfaces.errors import Conflict, InterfaceError
from dashboard.interfaces.names import suggest_upload, upload_problem
from dashboard.jobs.settlement import Wanted, revise, settle
from dashboard.jobs.unsettled import Unsettled
from dashboard.journal.recorder import Change
from dashboard.tokens.workspace import Workspace
from dashboard.web.errors import Unconfirmed

Policy = Literal["new", "replace", "both"]
State = Literal["new", "same", "different"]
POLICIES: tuple[Policy, ...] = ("new", "replace", "both")
FILES_AT_ONCE = 1000
UNKNOWN_TYPE = "application/octet-stream"
_ALTERNATIVES = 40


class DigestedBody(Protocol):
    """A body that is read once and knows its MD5 afterwards ("" if it could not keep up)."""

    def __len__(self) -> int: ...
    def read(self, size: int = -1, /) -> bytes: ...
    def md5(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Offered:
    """A file to upload: its key, bytes, and the type given by the browser, or ""."""

    key: str
    size: int
    type: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The plan for one file.

    `problem`: why the service would refuse the name; `suggestion`: one that it accepts, or "". `state` is about the suggestion
    if there is a problem, else about the key; "different" includes unknown sizes (`there` None). `type`: what is stored.
    """

    key: str
    problem: str = ""
    suggestion: str = ""
    state: State = "new"
    there: int | None = None
    type: str = UNKNOWN_TYPE

    @property
    def wanted(self) -> str:
        """The key to upload to, or ""."""
        return self.suggestion if self.problem else self.key


@dataclass(frozen=True, slots=True)
class UploadPlan:
    """Verdicts in order, and where listings may continue (`Found.reached`)."""

    verdicts: list[Verdict]
    reached: dict[str, int]


def plan(
    workspace: Workspace, space: str, bucket: str, files: Sequence[Offered], *, start: Mapping[str, int], parallel: Parallel
) -> UploadPlan:
    """One verdict per file, for up to 1,000 files. S15 tells which keys are taken, S13 or S19 their sizes."""
    storage = workspace.storage(space)
    named = [_check_name(file) for file in files]
    there = taken(storage, bucket, list(dict.fromkeys(verdict.wanted for verdict in named if verdict.wanted)))
    told = read_existing(storage, bucket, sorted(there), start=start, parallel=parallel)
    verdicts = [_compared(verdict, file, there, told) for verdict, file in zip(named, files, strict=True)]
    return UploadPlan(verdicts, told.reached)


def store(
    workspace: Workspace,
    space: str,
    bucket: str,
    key: str,
    body: DigestedBody,
    *,
    size: int,
    content_type: str,
    policy: Policy,
    cache_control: str = "",
) -> Receipt:
    """S9 with the body as it arrives, or S10 to "replace", under a lease of the key.

    "new" refuses a taken key (`Conflict`); "both" finds a free name first (S15). Older services refuse to replace a free key
    (`NotFound`). `cache_control` is the header to serve it with ("": the service's default). Raises `KeyInUseError` before
    anything is sent, and `UnansweredUpload`. Check `upload_problem` before.
    """
    objects = workspace.storage(space).objects
    operation, send = ("S10", objects.replace) if policy == "replace" else ("S9", objects.upload)
    with _leased(workspace, space, bucket, key, policy) as (free, lease):
        kind = content_type_of(free, content_type)
        sent = receipts.begun(free, size)
        started = time.monotonic()
        try:
            with settled(
                workspace, operation, space, receipts.wanted(bucket, sent, kind, replaces=policy == "replace")
            ) as change:
                change.after = {"size": size, "type": kind, "replace": policy == "replace"}
                change.after |= {"cache": cache_control} if cache_control else {}
                try:
                    stored = send(
                        bucket, free, leases.LeasedBody(body, lease), content_type=kind, cache_control=cache_control or None
                    )
                except InterfaceError:
                    sent = receipts.open_receipt(free, size, md5=body.md5(), seconds=time.monotonic() - started)
                    revise(
                        workspace,
                        change,
                        [touched(bucket, free)],
                        receipts.wanted(bucket, sent, kind, replaces=policy == "replace"),
                    )
                    raise
                there = stored.key.removeprefix(f"{bucket}/")
                waited = time.monotonic() - started
                sent = receipts.receipt(there, size, md5=body.md5(), answered=stored.date, seconds=waited)
        except Unconfirmed as lost:
            raise receipts.UnansweredUpload(lost, sent) from lost
        writes.stored(workspace, space, bucket, sent.key, size=size, mimetype=kind)
    return sent


def policies_of(workspace: Workspace, space: str, bucket: str, keys: Sequence[str], policy: Policy) -> dict[str, Policy]:
    """The policy per key: only existing objects (S15) can be replaced."""
    if policy != "replace":
        return dict.fromkeys(keys, policy)
    there = taken(workspace.storage(space), bucket, keys)
    return {key: "replace" if key in there else "new" for key in keys}


def content_type_of(key: str, claimed: str) -> str:
    """The type to store: the browser's, else by extension. The service would parse a multipart type as a form."""
    claimed = claimed.strip()
    if "/" not in claimed or claimed.startswith("multipart/") or claimed == UNKNOWN_TYPE:
        return mimetypes.guess_type(key.rpartition("/")[2], strict=False)[0] or UNKNOWN_TYPE
    return claimed


def _check_name(file: Offered) -> Verdict:
    problem = upload_problem(file.key, file.size)
    if problem is None:
        return Verdict(file.key, type=content_type_of(file.key, file.type))
    return Verdict(file.key, problem, suggest_upload(file.key, file.size), type=content_type_of(file.key, file.type))


def _compared(verdict: Verdict, file: Offered, there: Collection[str], told: Found) -> Verdict:
    if verdict.wanted not in there:
        return verdict
    there_is = told.found.get(verdict.wanted)
    size = there_is.size if there_is else None
    return replace(verdict, state="same" if size == file.size else "different", there=size)


@contextmanager
def settled(workspace: Workspace, operation: str, space: str, wanted: Wanted) -> Iterator[Change]:
    """Record an upload, and settle it if no answer comes. Raises `KeyInUseError` while an earlier one is being settled."""
    target = touched(wanted["bucket"], wanted["receipt"]["key"])
    try:
        with settle(workspace, operation, target=target, place=space, wanted=wanted) as change:
            yield change
    except Unsettled as earlier:
        raise leases.KeyInUseError(own=earlier.entry.person_id == workspace.person.pk) from earlier


@contextmanager
def _leased(workspace: Workspace, space: str, bucket: str, key: str, policy: Policy) -> Iterator[tuple[str, leases.Lease]]:
    """The key to store to, and its lease; for "both" the first free name without a lease."""
    names = _free(workspace, space, bucket, key) if policy == "both" else [key]
    for name in names:
        try:
            with leases.lease(workspace, space, bucket, name) as held:
                yield name, held
                return
        except leases.KeyInUseError:
            if name == names[-1]:
                raise


def _free(workspace: Workspace, space: str, bucket: str, key: str) -> list[str]:
    beside = [key, *(name for name in numbered(key, _ALTERNATIVES) if folder_of(name) == folder_of(key))]
    there = taken(workspace.storage(space), bucket, beside)
    if free := [name for name in beside if name not in there]:
        return free
    raise Conflict(operation="S9", service="storage", text=f"{key} and {_ALTERNATIVES} alternatives are taken.")
