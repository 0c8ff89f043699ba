"""Selections in a bucket: objects, folders or a search. A list posts its boxes; a review keeps them, and its id travels.

A view begins like this::

    if is_posted(request):
        return keep(request, space, bucket)
    selection = selection_of(request, space, bucket)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpResponse, QueryDict
from django.utils.http import urlencode

from dashboard.catalog.keys import folder, lies_in, name_of, outermost, printable
from dashboard.catalog.query import EVERYTHING
from dashboard.reviews import reviews
from dashboard.tokens.access import WorkspaceRequest
from dashboard.web.http.requests import path_of
from dashboard.web.pages.answers import see_other
from dashboard.web.text import counted

PURPOSE = "selection"
# Names of a list's checkboxes. Forms on pages that call `is_posted` must not use them for their fields.
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

    @property
    def only(self) -> str:
        """The key or folder if it is a single one, else ""."""
        named = (*self.keys, *self.folders)
        return named[0] if len(named) == 1 and not self.filter else ""

    def sentence(self) -> str:
        """Describe it: "3 objects and 1 folder", or the search."""
        if self.filter == EVERYTHING:
            return "everything in the bucket"
        if self.filter:
            return f"everything that matches “{printable(self.filter)}”"
        chosen = ((len(self.keys), "object"), (len(self.folders), "folder"))
        return " and ".join(counted(count, thing) for count, thing in chosen if count) or "nothing"

    def title(self) -> str:
        """Name a single object or folder; describe several."""
        return printable(name_of(self.only.removesuffix("/"))) if self.only.strip("/") else self.sentence()

    def as_parameters(self) -> dict[str, Any]:
        """Return it as plain JSON for a job or a form."""
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
        """Parse what `as_parameters` returned; ignore other members."""
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

    Drops duplicates, keys inside a selected folder, and null characters, which neither the service nor our database accepts.
    """
    path = folder(data.get("path", "").replace("\0", ""))
    searched = data.get("filter", "").replace("\0", "").strip() if data.get("all") == "1" else ""
    if searched:
        return Selection(space, bucket, filter=searched, path=path)
    folders = outermost(folder(text) for text in data.getlist("folder") if text and "\0" not in text)
    inside = sorted(folders)
    keys = dict.fromkeys(key for key in data.getlist("key") if key and "\0" not in key and not lies_in(key, inside))
    return Selection(space, bucket, keys=tuple(keys), folders=folders, path=path)


def is_posted(request: WorkspaceRequest) -> bool:
    """Whether a list's checkboxes were posted, rather than a form that was opened for a selection."""
    return request.method == "POST" and any(name in request.POST for name in BOXES)


def keep(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Seal a posted selection, which may be too long for an address, and redirect to this address with its id."""
    selection = read_selection(space, bucket, request.POST)
    review = reviews.create(request.workspace, PURPOSE, selection.as_parameters())
    query = urlencode({"selection": str(review.pk), "path": selection.path, "bytes": request.POST.get("bytes", "")})
    return see_other(f"{path_of(request)}?{query}")


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
