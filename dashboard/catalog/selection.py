"""Selections in a bucket: objects, folders or a search. Read from forms, resolved by cursor in jobs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any
from uuid import UUID

import msgspec
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.http import urlencode

from dashboard.catalog import queries, walk
from dashboard.catalog.keys import folder, folder_of, lies_in, outermost, printable
from dashboard.catalog.lookup import present, read_whole
from dashboard.catalog.query import EVERYTHING, Filter
from dashboard.catalog.walk import Entry
from dashboard.jobs.batch import Batch
from dashboard.reviews import reviews
from dashboard.tokens.access import WorkspaceRequest
from dashboard.tokens.workspace import Workspace
from dashboard.web.requests import path_of, read_json
from dashboard.web.text import counted

RESOLVE_SECONDS = 3.0
FOLDERS_AT_ONCE = 8
KEYS_AT_ONCE = 500
FOUND_AT_ONCE = 2000
# The most fields a form may have.
MOST = 10_000
PURPOSE = "selection"
# Names of a list's boxes. Forms on pages that ask `is_posted` must not have fields of these names.
BOXES = ("key", "folder", "all")


@dataclass(frozen=True, slots=True)
class Selection:
    """`keys` of objects, `folders` ending in a slash, or `filter`, a search; `path` is the folder it was made in."""

    space: str
    bucket: str
    keys: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    filter: str = ""
    path: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.keys or self.folders or self.filter)

    def sentence(self) -> str:
        """Describe it: "3 objects and 1 folder", or the search."""
        if self.filter == EVERYTHING:
            return "everything in the bucket"
        if self.filter:
            return f"everything that matches “{printable(self.filter)}”"
        chosen = ((len(self.keys), "object"), (len(self.folders), "folder"))
        return " and ".join(counted(count, thing) for count, thing in chosen if count) or "nothing"

    def as_parameters(self) -> dict[str, Any]:
        """Return plain JSON for a job or a form."""
        return {
            "space": self.space,
            "bucket": self.bucket,
            "keys": list(self.keys),
            "folders": list(self.folders),
            "filter": self.filter,
            "path": self.path,
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Selection":
        """Read what `as_parameters` returned; other members are ignored."""
        return cls(
            space=parameters["space"],
            bucket=parameters["bucket"],
            keys=tuple(parameters.get("keys", ())),
            folders=tuple(parameters.get("folders", ())),
            filter=parameters.get("filter", ""),
            path=parameters.get("path", ""),
        )


def read_selection(space: str, bucket: str, data: QueryDict) -> Selection:
    """Read the fields of a selection form: `key` and `folder` (many), or `filter` with `all=1`; `path`.

    Duplicates and keys inside a selected folder are dropped.
    """
    asked = data.get("filter", "") if data.get("all") == "1" else ""
    return _checked(space, bucket, _Chosen(data.getlist("key"), data.getlist("folder"), asked, data.get("path", "")))


def is_posted(request: WorkspaceRequest) -> bool:
    """Whether a list posts its boxes, rather than a form that was opened for a selection."""
    return request.method == "POST" and any(name in request.POST for name in BOXES)


def keep(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Seal a posted selection, which may be too long for an address, and redirect to this address with its id."""
    selection = read_selection(space, bucket, request.POST)
    review = reviews.create(request.workspace, PURPOSE, selection.as_parameters())
    query = urlencode({"selection": str(review.pk), "path": selection.path, "bytes": request.POST.get("bytes", "")})
    return HttpResponseRedirect(f"{path_of(request)}?{query}", status=303)


def selection_of(request: WorkspaceRequest, space: str, bucket: str) -> Selection:
    """Return the selection that `keep` sealed, or the one in the address; an empty one if it has expired."""
    if "selection" not in request.GET:
        return read_selection(space, bucket, request.GET)
    try:
        pk = UUID(request.GET["selection"])
    except ValueError:
        return Selection(space, bucket)
    payload = reviews.find(request.workspace, PURPOSE, pk).payload or {}
    if (payload.get("space"), payload.get("bucket")) != (space, bucket):
        return Selection(space, bucket, path=folder(request.GET.get("path", "")))
    return Selection.from_parameters(payload)


def read_chosen(space: str, bucket: str, text: str) -> Selection:
    """Read a selection from the JSON of a hidden field. Raises `ValueError` if it is malformed or too long."""
    chosen = read_json(text, _Chosen)
    if len(chosen.keys) + len(chosen.folders) > MOST:
        message = f"At most {MOST:,} objects and folders can be selected one by one."
        raise ValueError(message)
    return _checked(space, bucket, chosen)


@dataclass(frozen=True, slots=True)
class Group:
    """Objects of one folder."""

    folder: str
    entries: list[Entry]


@dataclass(frozen=True, slots=True)
class Resolved:
    """Resolved objects by folder, and the cursor after them (None at the end)."""

    groups: list[Group]
    cursor: dict[str, Any] | None

    @property
    def seen(self) -> int:
        return sum(len(group.entries) for group in self.groups)


def resolve(workspace: Workspace, batch: Batch, selection: Selection) -> Iterator[Resolved]:
    """Resolve the selection from the batch's cursor on, for a few seconds. Counts unlisted keys in the facts."""
    until = monotonic() + RESOLVE_SECONDS
    cursor: dict[str, Any] | None = dict(batch.cursor or {})
    while cursor is not None and not batch.stopping:
        resolved = _next(workspace, batch, selection, cursor)
        yield resolved
        cursor = resolved.cursor
        if monotonic() > until:
            return


class _Chosen(msgspec.Struct):
    keys: list[str] = []
    folders: list[str] = []
    filter: str = ""
    path: str = ""


def _checked(space: str, bucket: str, chosen: _Chosen) -> Selection:
    """Build the selection without null characters, which neither the service nor our database accepts."""
    path, searched = folder(chosen.path.replace("\0", "")), chosen.filter.replace("\0", "").strip()
    if searched:
        return Selection(space, bucket, filter=searched, path=path)
    folders = outermost(folder(text) for text in chosen.folders if text and "\0" not in text)
    inside = sorted(folders)
    keys = dict.fromkeys(key for key in chosen.keys if key and "\0" not in key and not lies_in(key, inside))
    return Selection(space, bucket, keys=tuple(keys), folders=folders, path=path)


def _next(workspace: Workspace, batch: Batch, selection: Selection, cursor: dict[str, Any]) -> Resolved:
    if selection.filter:
        return _found(workspace, selection, cursor)
    if (at := cursor.get("keys", 0)) < len(selection.keys):
        groups = _keys(workspace, batch, selection, sorted(selection.keys)[at : at + KEYS_AT_ONCE])
        return Resolved(groups, _cursor_after(selection, {"keys": at + KEYS_AT_ONCE}))
    return _below(workspace, batch, selection, cursor.get("folders", walk.outermost(selection.folders)))


def _cursor_after(selection: Selection, cursor: dict[str, Any]) -> dict[str, Any] | None:
    return cursor if cursor["keys"] < len(selection.keys) or selection.folders else None


def _keys(workspace: Workspace, batch: Batch, selection: Selection, keys: Iterable[str]) -> list[Group]:
    """Resolve single objects. Unlisted ones are kept: the call for each will tell."""
    by_folder: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        by_folder[folder_of(key)].append(key)
    look = partial(present, workspace.storage(selection.space), selection.bucket)
    found = batch.map(lambda pair: look(*pair), by_folder.items())
    unseen = sum(len(keys) - len(there) for keys, there in zip(by_folder.values(), found, strict=True))
    batch.facts["unseen"] = batch.facts.get("unseen", 0) + unseen
    return [
        Group(folder, [there.get(key) or Entry(key) for key in keys])
        for (folder, keys), there in zip(by_folder.items(), found, strict=True)
    ]


def _below(workspace: Workspace, batch: Batch, selection: Selection, waiting: list[str]) -> Resolved:
    """Resolve the next folders; subfolders join the queue.

    S13 ignores case in folder names, so objects of other folders are filtered out.
    """
    wanted = sorted(selection.folders)
    now, later = waiting[:FOLDERS_AT_ONCE], waiting[FOLDERS_AT_ONCE:]
    wholes = batch.map(partial(read_whole, workspace.storage(selection.space), selection.bucket), now)
    for whole in wholes:
        later[:0] = whole.folders
    groups = [Group(whole.folder, [entry for entry in whole.entries if lies_in(entry.key, wanted)]) for whole in wholes]
    return Resolved(groups, {"keys": len(selection.keys), "folders": later} if later else None)


def _found(workspace: Workspace, selection: Selection, cursor: dict[str, Any]) -> Resolved:
    """Resolve a search, in order of keys, so that a changing catalog can't make it skip any."""
    asked, after = Filter.parse(selection.filter), str(cursor.get("after", ""))
    some = list(islice(queries.keys(workspace, selection.space, selection.bucket, asked, after=after), FOUND_AT_ONCE))
    by_folder: dict[str, list[Entry]] = defaultdict(list)
    for entry in some:
        by_folder[folder_of(entry.key)].append(entry)
    more = len(some) == FOUND_AT_ONCE
    return Resolved([Group(folder, entries) for folder, entries in by_folder.items()], {"after": some[-1].key} if more else None)
