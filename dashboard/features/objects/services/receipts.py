"""Whether the bucket holds what was sent to it."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal

from dashboard.catalog import leases, writes
from dashboard.features.objects.services.conflicts import There, Together, sizes
from dashboard.interfaces.errors import NotFound, UnknownOutcome
from dashboard.interfaces.names import upload_problem
from dashboard.jobs.settlement import Wanted
from dashboard.tokens.workspace import Workspace

Verdict = Literal["checked", "missing", "size", "content", "date", "untold"]
# Between the clock that answers and the one that stores.
CLOCKS_APART_SECONDS = 60
# An upload without an answer may be stored as late as this.
UNKNOWN_SECONDS = 600
LONGEST_UPLOAD_SECONDS = 12 * 3600
_MD5 = re.compile(r'"?([0-9a-f]{32})"?')


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an upload sent: `md5` in hex ("" where it is not known), and between which times of the service's clock."""

    key: str
    size: int
    md5: str = ""
    since: float | None = None
    until: float | None = None


class UnansweredUpload(UnknownOutcome):
    """All was sent and no answer came: what the bucket holds has to be compared with the receipt."""

    def __init__(self, error: UnknownOutcome, receipt: Receipt) -> None:
        super().__init__(
            str(error),
            operation=error.operation,
            service=error.service,
            status=error.status,
            text=error.text,
            duration_ms=error.duration_ms,
        )
        self.receipt = receipt


@dataclass(frozen=True, slots=True)
class Checked:
    """A verdict for each key, the sizes that were told, and where listings may go on (`Sizes.reached`)."""

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
    """Return what is known of an upload before its first byte is sent; it may take hours."""
    now = time.time()
    return Receipt(key, size, "", now - CLOCKS_APART_SECONDS, now + LONGEST_UPLOAD_SECONDS)


def open_receipt(key: str, size: int, *, md5: str, seconds: float) -> Receipt:
    """Return the receipt of an upload that got no answer, by our own clock: the service may be storing it for a while yet."""
    now = time.time()
    return Receipt(key, size, md5, now - seconds - CLOCKS_APART_SECONDS, now + UNKNOWN_SECONDS + CLOCKS_APART_SECONDS)


def check(
    workspace: Workspace, space: str, bucket: str, receipts: Sequence[Receipt], *, start: Mapping[str, int], together: Together
) -> Checked:
    """Read back what was stored: S19, or one S13 for many of one folder."""
    good = [one.key for one in receipts if upload_problem(one.key, 0) is None]
    told = sizes(workspace.storage(space), bucket, good, start=start, together=together)
    verdicts = {one.key: verdict(one, told.found.get(one.key)) for one in receipts}
    return Checked(verdicts, {key: there.size for key, there in told.found.items()}, told.reached)


def verdict(sent: Receipt, there: There | None) -> Verdict:
    """Compare sizes, then the MD5 where the ETag is one (of an upload in parts it is not), else the time of the last change."""
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


def wanted(bucket: str, sent: Receipt, kind: str, *, replaces: bool = False) -> Wanted:
    """The state after an upload, as `jobs.settlement` keeps it."""
    return {"bucket": bucket, "type": kind, "replaces": replaces, "receipt": asdict(sent)}


def read_back(workspace: Workspace, space: str, wanted: Wanted) -> There | None:
    """S19: what the bucket holds under the key."""
    try:
        info = workspace.storage(space).objects.info(wanted["bucket"], wanted["receipt"]["key"])
    except NotFound:
        return None
    return There(info.size, info.etag, info.last_modified)


def is_stored(there: There | None, wanted: Wanted) -> bool | None:
    """Whether it is what was sent. Without a hash, an object of the same size may be the one that was to be replaced."""
    sent = Receipt(**wanted["receipt"])
    found = verdict(sent, there)
    if found == "untold" or (found == "checked" and wanted["replaces"] and not sent.md5):
        return None
    return found == "checked"


def after_upload(workspace: Workspace, space: str, wanted: Wanted, _there: There | None) -> None:
    """What follows from an upload that is found later."""
    sent = Receipt(**wanted["receipt"])
    writes.stored(workspace, space, wanted["bucket"], sent.key, size=sent.size, mimetype=wanted["type"])


def is_uploading(space: str, wanted: Wanted) -> bool:
    """Whether somebody holds the key: the upload is under way, or the service may still be storing it."""
    return leases.is_held(space, wanted["bucket"], wanted["receipt"]["key"])
