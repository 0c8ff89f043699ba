"""Keep file requests up to date when their folders move."""

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.features.file_requests.models import FileRequest
from dashboard.journal.recorder import record
from dashboard.links.holders import FolderMove, Holder, IsEmpty
from dashboard.tokens.workspace import Workspace

STAYS = "The file request “{title}” receives files there and can't change its bucket. Revoke it first."


def follow(workspace: Workspace, move: FolderMove) -> None:
    """Update the folders of requests after a move. Files to review are found by their own keys."""
    for asked, folder in _moved(move):
        target, before = f"“{asked.title}”, into {move.bucket}/{folder}", {"folder": asked.folder}
        with record(
            person_id=workspace.person.pk, operation="file request changed", place=move.space, target=target, before=before
        ) as entry:
            asked.folder = folder
            asked.save(update_fields=("folder",))
            entry.after = {"request": asked.pk, "folder": folder}


def _count(space: str, bucket: str, folders: Sequence[str]) -> int:
    return sum(folder.startswith(tuple(folders)) for folder in _at(space, bucket).values_list("folder", flat=True))


def _problem(move: FolderMove, _is_empty: IsEmpty) -> str:
    """Return why requests can't follow to another bucket: their files to review stay in this one."""
    stuck = (STAYS.format(title=asked.title) for asked, _ in _moved(move))
    return next(stuck, "") if move.is_across else ""


def _moved(move: FolderMove) -> Iterator[tuple[FileRequest, str]]:
    for asked in _at(move.space, move.bucket):
        arrival = move.arrival(asked.folder) if asked.folder else None
        if arrival is not None:
            yield asked, arrival


def _at(space: str, bucket: str) -> QuerySet[FileRequest]:
    return FileRequest.objects.filter(space=space, bucket=bucket, revoked_at=None, ends_at__gt=timezone.now())


HOLDER = Holder(one="file request", count=_count, problem=_problem, follow=follow)
