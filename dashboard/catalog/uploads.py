"""Store an object by one streamed upload: under a lease of its key, journaled, and settled later if the answer is lost."""

import mimetypes
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Literal, Protocol

from dashboard.catalog import leases, receipts, writes
from dashboard.catalog.keys import folder_of, name_of, numbered
from dashboard.catalog.receipts import Receipt, taken, touched
from dashboard.interfaces.errors import Conflict, InterfaceError
from dashboard.jobs.settlement import Rule, Wanted, revise, settle
from dashboard.jobs.unsettled import Unsettled
from dashboard.journal.recorder import Change
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.cards import Unconfirmed

Policy = Literal["new", "replace", "both"]
POLICIES: tuple[Policy, ...] = ("new", "replace", "both")
# Key in the object's metadata for the name of the file it was uploaded from.
ORIGINAL_NAME = "originalName"
NAME_MAX_LENGTH = 255
UNKNOWN_TYPE = "application/octet-stream"
_ALTERNATIVES = 40


class DigestedBody(Protocol):
    """A body that is read once and knows its MD5 afterwards ("" if hashing could not keep up)."""

    def __len__(self) -> int: ...
    def read(self, size: int = -1, /) -> bytes: ...
    def md5(self) -> str: ...


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
    name: str = "",
    metadata: Mapping[str, object] | None = None,
    title: str = "",
    opened: Callable[[Change], str | None] | None = None,
) -> Receipt:
    """Upload the body as it arrives, under a lease of the key: S9, or S10 to "replace".

    "new" refuses a taken key (`Conflict`); "both" finds a free name first (S15). Older services refuse to replace a free key
    (`NotFound`). `content_type` is stored as given; `content_type_of` guesses one. `cache_control` is the header to serve it with
    ("": the service's default). `name` is the file's own name, stored in the metadata if it differs from the key's
    (`ORIGINAL_NAME`).
    `title` names it in the journal. `opened` is called with the entry before anything is sent, and may return the id of the
    snapshot of what is replaced.

    Raises `KeyInUseError` before that, and `UnansweredUpload`. Check `upload_problem` before.
    """
    objects = workspace.storage(space).objects
    operation, send = ("S10", objects.replace) if policy == "replace" else ("S9", objects.upload)
    with _leased(workspace, space, bucket, key, policy) as (free, lease):
        sent = receipts.begun(free, size)
        started = time.monotonic()
        original = (name or name_of(key))[:NAME_MAX_LENGTH]
        named = {ORIGINAL_NAME: original} if original != name_of(free) else {}
        try:
            wanted = receipts.wanted(bucket, sent, content_type, replaces=policy == "replace")
            with recorded(workspace, operation, space, wanted, title=title) as change:
                change.after = {"size": size, "type": content_type, "replace": policy == "replace"}
                change.after |= {"cache": cache_control} if cache_control else {}
                change.after |= {"name": original} if named else {}
                kept = (opened(change) if opened else None) or ""
                try:
                    stored = send(
                        bucket,
                        free,
                        leases.LeasedBody(body, lease),
                        content_type=content_type,
                        cache_control=cache_control or None,
                        metadata={**(metadata or {}), **named} or None,
                    )
                except InterfaceError:
                    sent = receipts.open_receipt(free, size, md5=body.md5(), seconds=time.monotonic() - started)
                    revise(
                        workspace,
                        change,
                        [touched(bucket, free)],
                        receipts.wanted(bucket, sent, content_type, replaces=policy == "replace", kept=kept),
                    )
                    raise
                finally:
                    change.after |= {"md5": digest} if (digest := body.md5()) else {}
                there = stored.key.removeprefix(f"{bucket}/")
                waited = time.monotonic() - started
                sent = receipts.receipt(there, size, md5=digest, answered=stored.date, seconds=waited)
        except Unconfirmed as lost:
            raise receipts.UnansweredUpload(lost, sent) from lost
        writes.stored(workspace, space, bucket, sent.key, size=size, mimetype=content_type)
    return sent


def content_type_of(key: str, claimed: str) -> str:
    """Return the type of a file if nobody chose one: the browser's, else by extension.

    The service would parse a multipart type as a form.
    """
    claimed = claimed.strip()
    if "/" not in claimed or claimed.startswith("multipart/") or claimed == UNKNOWN_TYPE:
        return mimetypes.guess_type(key.rpartition("/")[2], strict=False)[0] or UNKNOWN_TYPE
    return claimed


def original_name(metadata: Mapping[str, object] | None) -> str:
    """Return the name of the file that an object was uploaded from, if its metadata contain a valid one; else ""."""
    name = (metadata or {}).get(ORIGINAL_NAME)
    is_name = isinstance(name, str) and len(name) <= NAME_MAX_LENGTH and name.isprintable() and not set(name) & {"/", "\\"}
    return str(name) if is_name and name not in {"", ".", ".."} else ""


@contextmanager
def recorded(workspace: Workspace, operation: str, space: str, wanted: Wanted, *, title: str = "") -> Iterator[Change]:
    """Record an upload, and settle it later if no answer comes. Raises `KeyInUseError` while an earlier one is being settled."""
    target = touched(wanted["bucket"], wanted["receipt"]["key"])
    try:
        with settle(workspace, operation, target=title or target, place=space, wanted=wanted, touches=[target]) as change:
            yield change
    except Unsettled as earlier:
        raise leases.KeyInUseError(own=earlier.entry.person_id == workspace.person.pk) from earlier


@contextmanager
def _leased(workspace: Workspace, space: str, bucket: str, key: str, policy: Policy) -> Iterator[tuple[str, leases.Lease]]:
    """Yield the key to store to and its lease; for "both", the first free name without a lease."""
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


RULES = tuple(
    Rule(operation, receipts.read_back, receipts.is_stored, then=receipts.after_upload, runs=receipts.is_uploading)
    for operation in ("S9", "S10")
)
