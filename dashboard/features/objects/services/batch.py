"""Find the files of one upload in the journal."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from dashboard.catalog.keys import name_of
from dashboard.catalog.receipts import touched
from dashboard.journal.models import TRANSFERS, Entries, Entry, Outcome
from dashboard.journal.queries import TONES, visible
from dashboard.team.models import Person

ACTION = "upload-"


@dataclass(frozen=True, slots=True)
class Stored:
    """One file: its own name, the key it was sent to, its size, its MD5 ("" if unknown), and the outcome."""

    name: str
    key: str
    size: int | None
    md5: str
    at: datetime
    outcome: Outcome
    tone: str


def action_of(batch: str) -> str:
    """Return the journal's name for an upload."""
    return f"{ACTION}{batch}"


def find(viewer: Person, space: str, bucket: str, batch: str, person_id: int) -> Entries | None:
    """Return the entries of a person's upload into a bucket, oldest first; None if the viewer may see none."""
    entries = visible(viewer)
    first = entries.filter(person_id=person_id, action=action_of(batch), part_of=None).first()
    if first is None:
        return None
    begins = touched(bucket, "")
    found = entries.filter(
        Q(pk=first.pk) | Q(part_of=first), place=space, operation__in=TRANSFERS, target__startswith=begins
    ).order_by("pk")
    return found if found.exists() else None


def stored(entries: Iterable[Entry], bucket: str) -> Iterator[Stored]:
    """Yield the files in these entries."""
    begins = touched(bucket, "")
    return (_stored(entry, entry.target.removeprefix(begins)) for entry in entries)


def _stored(entry: Entry, key: str) -> Stored:
    after = entry.after or {}
    outcome = entry.shown_outcome
    return Stored(
        name=after.get("name") or name_of(key),
        key=key,
        size=after.get("size"),
        md5=after.get("md5", ""),
        at=entry.started_at,
        outcome=outcome,
        tone=TONES[outcome],
    )
