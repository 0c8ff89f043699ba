"""Keep in the trash what uploads, restorations, moves and copies replace. What can't be kept is not replaced."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from django.core.exceptions import ValidationError

from dashboard.catalog import uploads, walk
from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.jobs.batch import Batch
from dashboard.jobs.models import JobItem
from dashboard.jobs.plans import REPLACE, UNKEPT, Policy
from dashboard.jobs.settlement import Wanted
from dashboard.journal.recorder import Change
from dashboard.snapshots import trash
from dashboard.snapshots.manifest import Head
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.problems import effect_of
from dashboard.web.text import bytes_text, counted

# A box on the question before something is replaced, by name and label.
WITHOUT = ("unkept", "Replace without keeping")
FOR_GOOD = "Overwrite the existing objects. This can't be undone."
# While an upload keeps what it replaces, its body waits, for which proxies have no patience.
UPLOAD_BYTES = 10**9
TOO_LARGE = f"Not replaced. It is larger than {bytes_text(UPLOAD_BYTES)}. Delete it first, or replace it without keeping."


def policies(days: int) -> tuple[Policy, ...]:
    """Return the policies for replacing objects, where what is replaced can be kept for so many days."""
    if not days:
        return (Policy(REPLACE, "Replace them", FOR_GOOD),)
    kept = f"Keep the existing objects for {counted(days, 'day')} in the trash. What can't be kept is not replaced."
    return Policy(REPLACE, "Replace them", kept), Policy(UNKEPT, WITHOUT[1], FOR_GOOD)


@contextmanager
def keeping(workspace: Workspace, batch: Batch, space: str, bucket: str, rows: Mapping[str, JobItem]) -> Iterator[None]:
    """Keep what the items of a job replace in the block, by key, as much as fits into one part; the others wait.

    What can't be kept is not replaced: its item fails. What is no longer there needs no keeping.
    """
    found, size = dict[str, walk.Entry](), 0
    for key, entry in trash.listed(workspace, space, bucket, rows).items():
        size += entry.size or 0
        if found and size > trash.AT_ONCE_BYTES:
            batch.requeue(rows[key])
        else:
            found[key] = entry
    if not found:
        yield
        return
    with trash.keeping(workspace, batch, space, bucket, {key: rows[key] for key in found}, rows=found, replaces=True) as kept:
        for key in found.keys() - kept.keys:
            batch.failed(rows[key], f"Not replaced. {kept.why[key]}")
        yield


class NotKept(ValidationError):  # noqa: N818 - control flow
    """What an upload would replace could not be kept, so nothing was sent."""


@dataclass(slots=True)
class Keeper:
    """Keeps the object that an upload replaces. `uploads.store` calls it under the lease of the key, before it reads the body.

    Call that inside `with`: at the end, the new snapshot is removed if the service refused the upload, as nothing was replaced.
    `earlier`: the id of the snapshot of what the same person replaced just before. `head`: the new one, which holds that, too.
    """

    workspace: Workspace
    space: str
    bucket: str
    key: str
    earlier: str = ""
    head: Head | None = None
    _held: Head | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if self.head and isinstance(error, InterfaceError) and effect_of(error) is not Effect.UNKNOWN:
            trash.drop(self.head)
            self.head = None
        elif self._held:
            trash.drop(self._held)

    def __call__(self, _change: Change) -> str:
        """Keep it, if there is one (S13, S18 and S19). Return the id of the snapshot. Raises `NotKept`, and errors of reads."""
        there = trash.listed(self.workspace, self.space, self.bucket, [self.key])
        if not there:
            return ""
        if trash.bytes_of(there.values()) > UPLOAD_BYTES:
            raise NotKept(TOO_LARGE)
        kept = trash.keep(self.workspace, self.space, self.bucket, [self.key], rows=there, earlier=self.earlier, replaces=True)
        if self.key not in kept.keys:
            raise NotKept(f"Not replaced. {kept.why[self.key]}")
        self.head, self._held = kept.head, kept.earlier
        return kept.id


def after_refusal(workspace: Workspace, space: str, wanted: Wanted) -> None:
    """Take what was kept out of the trash again: it was found later that an upload did not replace it."""
    trash.spare(workspace, space, wanted["bucket"], wanted.get("kept", ""), [wanted["receipt"]["key"]])


RULES = tuple(replace(rule, otherwise=after_refusal) for rule in uploads.RULES)
