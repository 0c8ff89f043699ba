"""From a name on somebody's disk to an object: names judged, compared with the target, bytes handed on, read back."""

import mimetypes
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from dashboard.catalog import leases, writes
from dashboard.catalog.keys import PLACEHOLDER, folder_of, numbered
from dashboard.features.objects.services import receipts
from dashboard.features.objects.services.conflicts import Sizes, Together, sizes, taken, touched
from dashboard.features.objects.services.receipts import Receipt
from dashboard.interfaces.errors import Conflict, InterfaceError
from dashboard.interfaces.names import suggest_upload, upload_problem
from dashboard.interfaces.transport.bodies import SizedReader
from dashboard.jobs.settlement import Wanted, revise, settle
from dashboard.jobs.unsettled import Unsettled
from dashboard.journal.recorder import Change
from dashboard.tokens.workspace import Workspace
from dashboard.web.digests import DigestedBody
from dashboard.web.errors import Unconfirmed

Policy = Literal["new", "replace", "both"]
State = Literal["new", "same", "different"]
POLICIES: tuple[Policy, ...] = ("new", "replace", "both")
FILES_AT_ONCE = 1000
UNKNOWN_TYPE = "application/octet-stream"
_BESIDE = 40


@dataclass(frozen=True, slots=True)
class Offered:
    """A file on somebody's disk: the key it would get, its bytes, and the type that the browser claims ("" for none)."""

    key: str
    size: int
    type: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be known of a file before its first byte is sent.

    `problem` says why the service would refuse the name and `suggestion` is one it would take ("" where there is none). `state`
    tells of the suggestion where there is a problem, of the key otherwise; "different" is also a size that the service does not
    tell (`there` None). `type` is what would be stored.
    """

    key: str
    problem: str = ""
    suggestion: str = ""
    state: State = "new"
    there: int | None = None
    type: str = UNKNOWN_TYPE

    @property
    def wanted(self) -> str:
        """The name to look for; "" where none will do."""
        return self.suggestion if self.problem else self.key


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts in order, and where listings may go on (`Sizes.reached`)."""

    verdicts: list[Verdict]
    reached: dict[str, int]


def judge(
    workspace: Workspace, space: str, bucket: str, files: Sequence[Offered], *, start: Mapping[str, int], together: Together
) -> Judged:
    """One verdict a file, in order; at most 1,000 files. One S15 tells which names are taken; S13 or S19 how large those are."""
    storage = workspace.storage(space)
    named = [_judge_name(file) for file in files]
    there = taken(storage, bucket, list(dict.fromkeys(verdict.wanted for verdict in named if verdict.wanted)))
    told = sizes(storage, bucket, sorted(there), start=start, together=together)
    verdicts = [_compared(verdict, file, there, told) for verdict, file in zip(named, files, strict=True)]
    return Judged(verdicts, told.reached)


def store(
    workspace: Workspace,
    space: str,
    bucket: str,
    key: str,
    body: bytes | SizedReader,
    *,
    size: int,
    content_type: str,
    policy: Policy,
) -> Receipt:
    """S9 with the body as it arrives, S10 to "replace" what is there. Nobody else uploads to this key meanwhile.

    "new" refuses a taken key (`Conflict`), "both" finds a free name beside it first (S15); an older service has nothing to
    replace at a free key (`NotFound`). Raises `KeyInUseError` before anything is sent, and `UnansweredUpload`. The caller asks
    `upload_problem` before: nothing is sent for a name the service refuses.
    """
    objects = workspace.storage(space).objects
    operation, send = ("S10", objects.replace) if policy == "replace" else ("S9", objects.upload)
    digested = DigestedBody(body)
    with _leased(workspace, space, bucket, key, policy) as (free, lease), closing(digested):
        kind = content_type_of(free, content_type)
        sent = receipts.begun(free, size)
        started = time.monotonic()
        try:
            with _settled(
                workspace, operation, space, receipts.wanted(bucket, sent, kind, replaces=policy == "replace")
            ) as change:
                change.after = {"size": size, "type": kind, "replace": policy == "replace"}
                try:
                    stored = send(bucket, free, leases.LeasedBody(digested, lease), content_type=kind)
                except InterfaceError:
                    sent = receipts.open_receipt(free, size, md5=digested.md5(), seconds=time.monotonic() - started)
                    revise(
                        workspace,
                        change,
                        [touched(bucket, free)],
                        receipts.wanted(bucket, sent, kind, replaces=policy == "replace"),
                    )
                    raise
                there = stored.key.removeprefix(f"{bucket}/")
                waited = time.monotonic() - started
                sent = receipts.receipt(there, size, md5=digested.md5(), answered=stored.date, seconds=waited)
        except Unconfirmed as lost:
            raise receipts.UnansweredUpload(lost, sent) from lost
        writes.stored(workspace, space, bucket, sent.key, size=size, mimetype=kind)
    return sent


def policies_of(workspace: Workspace, space: str, bucket: str, keys: Sequence[str], policy: Policy) -> dict[str, Policy]:
    """What is to be done with each key: only what is there (S15) can be replaced."""
    if policy != "replace":
        return dict.fromkeys(keys, policy)
    there = taken(workspace.storage(space), bucket, keys)
    return {key: "replace" if key in there else "new" for key in keys}


def make_folder(workspace: Workspace, space: str, bucket: str, path: str) -> None:
    """S9: the empty object that keeps an empty folder. `Conflict` where the folder is kept already."""
    key = path + PLACEHOLDER
    wanted = receipts.wanted(bucket, receipts.begun(key, 0), UNKNOWN_TYPE)
    with leases.lease(workspace, space, bucket, key), _settled(workspace, "S9", space, wanted):
        workspace.storage(space).objects.upload(bucket, key, b"", content_type=UNKNOWN_TYPE)
    writes.stored(workspace, space, bucket, key, size=0, mimetype=UNKNOWN_TYPE)


def content_type_of(key: str, claimed: str) -> str:
    """The type to store: what the browser says, else what the name's ending tells. A form's type would be taken apart."""
    claimed = claimed.strip()
    if "/" not in claimed or claimed.startswith("multipart/") or claimed == UNKNOWN_TYPE:
        return mimetypes.guess_type(key.rpartition("/")[2], strict=False)[0] or UNKNOWN_TYPE
    return claimed


def _judge_name(file: Offered) -> Verdict:
    problem = upload_problem(file.key, file.size)
    if problem is None:
        return Verdict(file.key, type=content_type_of(file.key, file.type))
    return Verdict(file.key, problem, suggest_upload(file.key, file.size), type=content_type_of(file.key, file.type))


def _compared(verdict: Verdict, file: Offered, there: Collection[str], told: Sizes) -> Verdict:
    if verdict.wanted not in there:
        return verdict
    there_is = told.found.get(verdict.wanted)
    size = there_is.size if there_is else None
    return replace(verdict, state="same" if size == file.size else "different", there=size)


@contextmanager
def _settled(workspace: Workspace, operation: str, space: str, wanted: Wanted) -> Iterator[Change]:
    """Journal an upload, and compare the bucket with it where no answer came. `KeyInUseError` while an earlier one is checked."""
    target = touched(wanted["bucket"], wanted["receipt"]["key"])
    try:
        with settle(workspace, operation, target=target, place=space, wanted=wanted) as change:
            yield change
    except Unsettled as earlier:
        raise leases.KeyInUseError(own=earlier.entry.person_id == workspace.person.pk) from earlier


@contextmanager
def _leased(workspace: Workspace, space: str, bucket: str, key: str, policy: Policy) -> Iterator[tuple[str, leases.Lease]]:
    """The key to store to, and its lease. For "both" the first free name that nobody else is storing to."""
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
    beside = [key, *(name for name in numbered(key, _BESIDE) if folder_of(name) == folder_of(key))]
    there = taken(workspace.storage(space), bucket, beside)
    if free := [name for name in beside if name not in there]:
        return free
    raise Conflict(operation="S9", service="storage", text=f"{key} and {_BESIDE} names beside it are taken.")
