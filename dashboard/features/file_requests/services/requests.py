"""Create, revoke and restore file requests, and describe them for lists.

Share links are revoked in selections, a request one at a time; both are restored by the person who revoked them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db.models import Count, Q
from django.utils import timezone

from dashboard.catalog.keys import is_pending
from dashboard.features.file_requests.models import FileRequest, FileRequests, ReceivedFile
from dashboard.interfaces.names import key_problem
from dashboard.journal.recorder import record
from dashboard.links.states import State
from dashboard.links.terms import CommonTerms
from dashboard.team.models import Person
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace

PUBLIC = "Files sent to a public bucket would be public at once. Make the bucket private first, or choose another one."
CHANGEABLE = ("title", "note", "types", "most_bytes", "most_files", "most_total", "password", "ends_at", "zone")
TO_REVIEW = Q(received__state=ReceivedFile.State.RECEIVED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms(CommonTerms):
    """What a file request asks for and allows. `types` as in `FileRequest`; sizes in bytes."""

    title: str
    types: str
    most_bytes: int
    most_files: int
    most_total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A file request in a list. `to_review`: number of files to review."""

    asked: FileRequest
    state: State
    word: str
    to_review: int
    is_mine: bool
    can_restore: bool

    @property
    def is_current(self) -> bool:
        """Whether the request can be revoked."""
        return self.state not in FileRequest.OVER


def make(workspace: Workspace, space: str, bucket: str, folder: str, terms: Terms) -> tuple[FileRequest, str]:
    """Create a request for a folder of a private bucket (S4); return it with its code."""
    if is_pending(folder) or (folder and key_problem(f"{folder}x")):
        raise ValidationError("Files can't be requested into this folder.")
    if workspace.storage(space).buckets.get(bucket).is_public:
        raise ValidationError(PUBLIC)
    workspace.require_reach(space, bucket, folders=[folder])
    workspace.require_act("storage", space, "share", "upload")
    through = workspace.grant_at(Kind.STORAGE, space)
    asked = FileRequest(
        owner=workspace.person,
        space=space,
        bucket=bucket,
        folder=folder,
        grant=through.grant if through else None,
        token=workspace.fingerprint(Kind.STORAGE, space),
    )
    _agree(asked, terms)
    code = asked.issue_code()
    through_id = through.grant.giver_id if through else None
    with record(
        person_id=asked.owner_id, operation="files requested", place=space, target=_named(asked), through_id=through_id
    ) as change:
        asked.save(force_insert=True)
        change.after = _facts(asked)
    return asked, code


def change(person: Person, asked: FileRequest, terms: Terms) -> None:
    """Set new terms. Only its owner can. The limits never fall below what was received."""
    if asked.owner_id != person.pk:
        raise ValidationError("Only the person who made this request can change it.")
    before = _facts(asked)
    _agree(asked, terms)
    with record(person_id=person.pk, operation="file request changed", place=asked.space, target=_named(asked)) as entry:
        room = FileRequest.objects.filter(pk=asked.pk, files__lte=asked.most_files, bytes__lte=asked.most_total)
        if not room.update(**{name: getattr(asked, name) for name in CHANGEABLE}):
            raise ValidationError("More files arrived in the meantime. Allow at least these, and save again.", code="stale")
        entry.before, entry.after = before, _facts(asked)


def revoke(person: Person, asked: FileRequest) -> None:
    """Revoke a request at once."""
    _set(person, asked, "file request revoked", at=timezone.now(), by=person)


def restore(person: Person, asked: FileRequest) -> None:
    """Undo one's own `revoke`. Owners of the team can also restore their own that another owner revoked."""
    if not asked.can_be_restored_by(person):
        raise ValidationError("Only the person who revoked this request can restore it.")
    _set(person, asked, "file request restored", at=None, by=None)


def visible(person: Person) -> FileRequests:
    return FileRequest.objects.visible_to(person).annotate(to_review=Count("received", filter=TO_REVIEW))


def rows(person: Person, found: Iterable[FileRequest]) -> list[Row]:
    """Describe requests that `visible` returned."""
    listed = list(found)
    own = StoredToken.objects.filter(
        kind=Kind.STORAGE, person__in={asked.owner_id for asked in listed}, space__in={asked.space for asked in listed}
    )
    fingerprints = {(person, space): found for person, space, found in own.values_list("person_id", "space", "fingerprint")}
    for asked in listed:
        asked.own_fingerprint = fingerprints.get((asked.owner_id, asked.space), "")
    return [_row(person, asked) for asked in listed]


def _row(person: Person, asked: FileRequest) -> Row:
    state = asked.state
    to_review: int = asked.to_review  # type: ignore[attr-defined] # annotated by `visible`
    return Row(
        asked=asked,
        state=state,
        word=asked.word_of(state),
        to_review=to_review,
        is_mine=asked.owner_id == person.pk,
        can_restore=asked.can_be_restored_by(person) and asked.ends_at > timezone.now(),
    )


def _agree(asked: FileRequest, terms: Terms) -> None:
    asked.agree(terms)
    asked.title, asked.types = terms.title, terms.types
    asked.most_bytes, asked.most_files, asked.most_total = terms.most_bytes, terms.most_files, terms.most_total


def _set(person: Person, asked: FileRequest, operation: str, *, at: datetime | None, by: Person | None) -> None:
    with record(person_id=person.pk, operation=operation, place=asked.space, target=_named(asked)) as change:
        FileRequest.objects.filter(pk=asked.pk, revoked_at__isnull=at is not None).update(revoked_at=at, revoked_by=by)
        change.after = {"request": asked.pk, "owner": asked.owner_id}


def _facts(asked: FileRequest) -> dict[str, object]:
    return {
        "request": asked.pk,
        "ends_at": asked.ends_at.isoformat(),
        "password": bool(asked.password),
        "types": asked.types,
        "files": asked.most_files,
        "bytes": asked.most_total,
    }


def _named(asked: FileRequest) -> str:
    return f"“{asked.title}”, into {asked.place}"
