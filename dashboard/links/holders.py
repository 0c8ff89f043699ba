"""Records of ours that name folders: share links, file requests, grants. They follow a moved folder, or block the move."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dashboard.links import follow
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import counted

IsEmpty = Callable[[str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderMove:
    """Folders of a bucket and their new paths. Paths end in a slash; "" is the whole bucket."""

    space: str
    bucket: str
    to_bucket: str
    folders: Mapping[str, str]

    @property
    def is_across(self) -> bool:
        return self.to_bucket != self.bucket

    def arrival(self, folder: str) -> str | None:
        """Return the new path of a folder; None if it stays where it is."""
        return next((new + folder.removeprefix(old) for old, new in self.folders.items() if folder.startswith(old)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """One kind of record that names folders.

    `count`: how many name one of these folders of a bucket, or a folder inside. `problem`: why they can't follow a move, "" if
    they can; its argument tells which folders of the destination are empty. `follow` makes them name the new folders.
    """

    one: str
    count: Callable[[str, str, Sequence[str]], int]
    problem: Callable[[FolderMove, IsEmpty], str] = lambda _move, _is_empty: ""
    follow: Callable[[Workspace, FolderMove], object]


def _carry(_workspace: Workspace, move: FolderMove) -> None:
    follow.carry(move.space, move.bucket, move.folders, destination_bucket=move.to_bucket)


def _count_links(space: str, bucket: str, folders: Sequence[str]) -> int:
    return len(follow.dying_ids(space, bucket, folders=folders))


_holders: Final = [Holder(one="share link", count=_count_links, follow=_carry)]


def register(holder: Holder) -> None:
    _holders.append(holder)


def named(space: str, bucket: str, folders: Sequence[str], *, links: bool = True) -> str:
    """Describe what names these folders: "2 share links, 1 file request"; "" for nothing. `links`: include share links."""
    found = {holder: holder.count(space, bucket, folders) for holder in (_holders if links else _holders[1:])} if folders else {}
    return ", ".join(counted(count, holder.one) for holder, count in found.items() if count)


def problem_of(move: FolderMove, is_empty: IsEmpty) -> str:
    """Return why a record can't follow a move; "" if all can."""
    found: Iterable[str] = (holder.problem(move, is_empty) for holder in _holders)
    return next(filter(None, found), "") if move.folders else ""


def carry(workspace: Workspace, move: FolderMove) -> None:
    """Update all records that name folders which were moved as a whole."""
    for holder in _holders if move.folders else ():
        holder.follow(workspace, move)
