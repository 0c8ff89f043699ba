"""Check which keys are taken before an upload, and whether everything was stored after it.

S15 checks 1,000 keys at once. Sizes come from S13, 1,000 rows per call, if that takes fewer calls than one S19 per object.
"""

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from typing import Literal, Protocol

from dashboard.catalog import leases, writes
from dashboard.catalog.keys import by_folder, folder_of
from dashboard.catalog.lookup import UNSEEN, Unseen, sees
from dashboard.catalog.walk import list_page
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import NotAllowed, NotFound, UnknownOutcome
from dashboard.interfaces.names import upload_problem
from dashboard.jobs.settlement import Wanted
from dashboard.tokens.sight import abilities_of, sees_all
from dashboard.tokens.workspace import Workspace

# Up to this many objects of one folder are read one by one.
FEW = 3
# Give up a listing after this fraction of the calls that reading one by one takes.
GIVE_UP_FRACTION = 4
AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Existing:
    """Size in bytes, ETag and last change of an object; None for what the service doesn't report."""

    size: int | None
    etag: str | None
    modified: datetime | None


Answer = tuple[str, Existing | None]


class Parallel(Protocol):
    """Run calls in parallel and return their results in order."""

    def __call__(self, *calls: Callable[[], Answer]) -> Sequence[Answer]: ...


@dataclass(slots=True)
class Found:
    """`found`: the existing objects by key. `reached`: per listed folder the offset where the next request may continue."""

    found: dict[str, Existing] = field(default_factory=dict)
    reached: dict[str, int] = field(default_factory=dict)


def touched(bucket: str, key: str) -> str:
    """Return the name by which settlement knows a change of this object."""
    return f"object {bucket}/{key}"


def everything_in(bucket: str) -> str:
    """Return the name by which settlement knows the emptying of a bucket: a change of all its objects."""
    return touched(bucket, "*")


def taken(storage: StorageInterface, bucket: str, keys: Sequence[str]) -> set[str]:
    """Return which of up to 1,000 keys exist. S15 with links that live for a second."""
    if not keys:
        return set()
    items = storage.signing.sign_many(bucket, keys, expires_in=1)
    return {key for key, item in zip(keys, items, strict=True) if item.link}


def read_existing(
    storage: StorageInterface, bucket: str, keys: Iterable[str], *, start: Mapping[str, int], parallel: Parallel
) -> Found:
    """Read objects that should exist, folder by folder (S13 or S19). `start` is `reached` of the previous answer."""
    told = Found()
    alone: list[str] = []
    for folder, mine in by_folder(keys).items():
        if len(mine) > FEW:
            listed, told.reached[folder] = _list(storage, bucket, folder, mine, start.get(folder, 0))
            told.found |= listed
        alone += [key for key in mine if key not in told.found]
    for at in range(0, len(alone), AT_ONCE):
        answers = parallel(*(partial(_ask, storage, bucket, key) for key in alone[at : at + AT_ONCE]))
        told.found |= {key: there for key, there in answers if there}
    return told


def _ask(storage: StorageInterface, bucket: str, key: str) -> Answer:
    try:
        info = storage.objects.info(bucket, key)
    except (NotFound, NotAllowed):
        return key, None
    return key, Existing(info.size, info.etag, info.last_modified)


def _list(
    storage: StorageInterface, bucket: str, folder: str, keys: Collection[str], first: int
) -> tuple[dict[str, Existing], int]:
    """Read pages from `first` on, then those before it, until few keys are missing or reading one by one is cheaper.

    Returns the found objects and the offset of the last page with one.
    """
    found: dict[str, Existing] = {}
    missing, seen = set(keys), set[str]()
    offset = last = first
    for _ in range(max(1, len(keys) // GIVE_UP_FRACTION)):
        page = list_page(storage, bucket, folder, offset=offset)
        for entry in page.entries:
            if entry.key in seen:
                # S13 ignores the case of folders, so we can't tell which of two such objects is ours.
                found.pop(entry.key, None)
            elif entry.key in missing:
                found[entry.key] = Existing(entry.size, entry.etag, entry.updated_at)
                missing.discard(entry.key)
                seen.add(entry.key)
                last = offset
        wrapped = offset < first
        ended = page.next_offset is None
        offset = 0 if page.next_offset is None else page.next_offset
        if len(missing) <= FEW or (ended and (wrapped or not first)) or (wrapped and offset >= first):
            break
        if ended:
            seen.clear()
    return found, last


# "unseen": not found, but the token might not be allowed to see it.
Verdict = Literal["checked", "missing", "size", "content", "date", "untold", "unseen"]
# At most this many folders of missing objects are tested for whether the token sees anything there.
LOOKED_INTO = 16
# Allowed difference between the clocks of the servers that answer and that store.
CLOCKS_APART_SECONDS = 60
LONGEST_UPLOAD_SECONDS = 12 * 3600
_MD5 = re.compile(r'"?([0-9a-f]{32})"?')


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an upload sent, and when by the service's clock. `md5` in hex, "" if unknown."""

    key: str
    size: int
    md5: str = ""
    since: float | None = None
    until: float | None = None


class UnansweredUpload(UnknownOutcome):
    """Everything was sent but no answer came. Compare the bucket with the receipt."""

    def __init__(self, error: UnknownOutcome, receipt: Receipt) -> None:
        super().__init__(str(error), **error.facts)
        self.receipt = receipt


@dataclass(frozen=True, slots=True)
class Checked:
    """A verdict and the size per key, and where listings may continue (`Found.reached`)."""

    verdicts: dict[str, Verdict]
    sizes: dict[str, int | None]
    reached: dict[str, int]


def receipt(key: str, size: int, *, md5: str, answered: datetime | None, seconds: float) -> Receipt:
    """Return the receipt of an upload that took so many seconds until the service answered."""
    if answered is None:
        return Receipt(key, size, md5)
    at = answered.timestamp()
    return Receipt(key, size, md5, at - seconds - CLOCKS_APART_SECONDS, at + CLOCKS_APART_SECONDS)


def begun(key: str, size: int) -> Receipt:
    """Return the receipt of an upload that is about to start. It allows for hours of sending."""
    now = time.time()
    return Receipt(key, size, "", now - CLOCKS_APART_SECONDS, now + LONGEST_UPLOAD_SECONDS)


def open_receipt(key: str, size: int, *, md5: str, seconds: float) -> Receipt:
    """Return the receipt of an unanswered upload, by our own clock. It includes the time the service may need to store it."""
    now = time.time()
    until = now + leases.seconds_to_store(size)
    return Receipt(key, size, md5, now - seconds - CLOCKS_APART_SECONDS, until + CLOCKS_APART_SECONDS)


def check(
    workspace: Workspace, space: str, bucket: str, receipts: Sequence[Receipt], *, start: Mapping[str, int], parallel: Parallel
) -> Checked:
    """Verify what was stored: S19, or one S13 for many objects of one folder."""
    good = [one.key for one in receipts if upload_problem(one.key, 0) is None]
    told = read_existing(workspace.storage(space), bucket, good, start=start, parallel=parallel)
    verdicts = {one.key: verdict(one, told.found.get(one.key)) for one in receipts}
    seen = {folder_of(key) for key in told.found}
    missing = [key for key in good if verdicts[key] == "missing" and folder_of(key) not in seen]
    if missing and not sees_all(workspace, space):
        unknown = list(dict.fromkeys(map(folder_of, missing)))
        looked_into = [] if abilities_of(workspace, space, bucket).list is False else unknown[:LOOKED_INTO]
        blind = set(unknown) - {folder for folder in looked_into if sees(workspace, space, bucket, folder)}
        verdicts |= {key: UNSEEN for key in missing if folder_of(key) in blind}
    return Checked(verdicts, {key: there.size for key, there in told.found.items()}, told.reached)


def verdict(sent: Receipt, there: Existing | None) -> Verdict:
    """Compare sizes, then MD5s if the ETag is one (not for an upload in parts), else the time of the last change."""
    if there is None:
        return "missing"
    if there.size is None:
        return "untold"
    if there.size != sent.size:
        return "size"
    etag = _MD5.fullmatch(there.etag or "")
    if etag and sent.md5:
        return "checked" if etag[1] == sent.md5 else "content"
    if there.modified and sent.since is not None and sent.until is not None:
        return "checked" if sent.since <= there.modified.timestamp() <= sent.until else "date"
    return "checked"


def wanted(bucket: str, sent: Receipt, kind: str, *, replaces: bool = False, kept: str = "") -> Wanted:
    """Return the state that an upload should lead to, as `jobs.settlement` stores it. `kept`: what `opened` returned."""
    return {"bucket": bucket, "type": kind, "replaces": replaces, "receipt": asdict(sent), "kept": kept}


def read_back(workspace: Workspace, space: str, wanted: Wanted) -> Existing | Unseen | None:
    """Read the object that an upload should have stored: S19, and S13 if it finds nothing."""
    bucket, key = wanted["bucket"], wanted["receipt"]["key"]
    try:
        info = workspace.storage(space).objects.info(bucket, key)
    except (NotFound, NotAllowed):
        return None if sees(workspace, space, bucket, folder_of(key)) else UNSEEN
    return Existing(info.size, info.etag, info.last_modified)


def is_stored(there: Existing | Unseen | None, wanted: Wanted) -> bool | None:
    """Whether the object is the one that was sent; None if we can't tell.

    Without a hash, an object of the same size may be the one that was to be replaced.
    """
    if there == UNSEEN:
        return None
    sent = Receipt(**wanted["receipt"])
    found = verdict(sent, there)
    if found == "untold" or (found == "checked" and wanted["replaces"] and not sent.md5):
        return None
    return found == "checked"


def after_upload(workspace: Workspace, space: str, wanted: Wanted, _there: Existing | Unseen | None) -> None:
    """Add an upload to the catalog that was confirmed only later."""
    sent = Receipt(**wanted["receipt"])
    writes.stored(workspace, space, wanted["bucket"], sent.key, size=sent.size, mimetype=wanted["type"])


def is_uploading(space: str, wanted: Wanted) -> bool:
    """Whether the key is leased: the upload is under way, or the service may still be storing it."""
    return leases.is_held(space, wanted["bucket"], wanted["receipt"]["key"])
