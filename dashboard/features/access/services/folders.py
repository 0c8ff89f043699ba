"""Keep grants up to date when their folders move."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils import timezone

from dashboard.features.access.services.grants import lasting, recorded
from dashboard.links.holders import FolderMove, Holder, IsEmpty
from dashboard.tokens.models import Grant, Kind
from dashboard.tokens.scope import outermost
from dashboard.tokens.workspace import Workspace

TAKEN = "Colleagues have access to {folder}, and {arrival} already holds files that they would see. Move it to a new folder."


def follow(workspace: Workspace, move: FolderMove) -> None:
    """Update grants after a move. Their reach stays the same, so cached data stays valid."""
    for grant, folders in _moved(move):
        before = {"folders": grant.folders}
        grant.folders, grant.changed_at = list(outermost(folders)), timezone.now()
        with recorded(workspace.person, "access changed", grant, before=before) as entry:
            grant.save(update_fields=("folders", "changed_at"))
            entry.after = {"folders": grant.folders}


def _count(space: str, bucket: str, folders: Sequence[str]) -> int:
    wanted = tuple(f"{bucket}/{folder}" for folder in folders)
    return sum(any(path.startswith(wanted) for path in grant.folders) for grant in _at(space))


def _problem(move: FolderMove, is_empty: IsEmpty) -> str:
    """Return why a folder in a grant can't move: its receivers would also see files already at the destination."""
    for grant in _at(move.space):
        for path in grant.folders:
            arrival = _arrival(move, path)
            if arrival and not is_empty(arrival):
                return TAKEN.format(folder=path, arrival=f"{move.to_bucket}/{arrival}")
    return ""


def _moved(move: FolderMove) -> Iterator[tuple[Grant, list[str]]]:
    for grant in _at(move.space):
        arrivals = {path: _arrival(move, path) for path in grant.folders}
        if any(arrival is not None for arrival in arrivals.values()):
            yield grant, [path if new is None else f"{move.to_bucket}/{new}" for path, new in arrivals.items()]


def _arrival(move: FolderMove, path: str) -> str | None:
    bucket, _, folder = path.partition("/")
    return move.arrival(folder) if bucket == move.bucket and folder else None


def _at(space: str) -> Any:
    return Grant.objects.filter(lasting(), kind=Kind.STORAGE, place=space).select_related("person")


HOLDER = Holder(one="access grant", count=_count, problem=_problem, follow=follow)
