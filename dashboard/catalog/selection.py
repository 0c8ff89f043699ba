"""What somebody chose in a bucket: objects, folders, or everything that a search finds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from django.http import QueryDict

from dashboard.catalog.keys import folder, lies_in, outermost, printable
from dashboard.web.requests import read_json
from dashboard.web.text import counted

# The search that finds everything; an empty text never means that.
EVERYTHING = "*"
# As many fields as a form has at most.
MOST = 10_000


@dataclass(frozen=True, slots=True)
class Selection:
    """`keys` of objects, `folders` ending in a slash, or `filter`, the text of a search; `path`: the folder it was made in."""

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
        """ "3 objects and 1 folder"; of a search what was searched for."""
        if self.filter == EVERYTHING:
            return "everything in the bucket"
        if self.filter:
            return f"everything that matches “{printable(self.filter)}”"
        chosen = ((len(self.keys), "object"), (len(self.folders), "folder"))
        return " and ".join(counted(count, thing) for count, thing in chosen if count) or "nothing"

    def as_parameters(self) -> dict[str, Any]:
        """Plain JSON, for a job or a form."""
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
        """The one that `as_parameters` wrote; members beside its own are passed over."""
        return cls(
            space=parameters["space"],
            bucket=parameters["bucket"],
            keys=tuple(parameters.get("keys", ())),
            folders=tuple(parameters.get("folders", ())),
            filter=parameters.get("filter", ""),
            path=parameters.get("path", ""),
        )


def read_selection(space: str, bucket: str, data: QueryDict) -> Selection:
    """The fields of every selection form: `key` and `folder` (many), or `filter` with `all=1`; `path`. None stands twice.

    What lies in a chosen folder is not counted again by its own key.
    """
    asked = data.get("filter", "") if data.get("all") == "1" else ""
    return _checked(space, bucket, _Chosen(data.getlist("key"), data.getlist("folder"), asked, data.get("path", "")))


def read_chosen(space: str, bucket: str, text: str) -> Selection:
    """The same from a hidden field, as the JSON of `as_parameters`. ValueError for anything else, and for too many."""
    chosen = read_json(text, _Chosen)
    if len(chosen.keys) + len(chosen.folders) > MOST:
        message = f"At most {MOST:,} objects and folders can be selected one by one."
        raise ValueError(message)
    return _checked(space, bucket, chosen)


class _Chosen(msgspec.Struct):
    keys: list[str] = []
    folders: list[str] = []
    filter: str = ""
    path: str = ""


def _checked(space: str, bucket: str, chosen: _Chosen) -> Selection:
    """No name of the service holds a null character, and our database takes none."""
    path, searched = folder(chosen.path.replace("\0", "")), chosen.filter.replace("\0", "").strip()
    if searched:
        return Selection(space, bucket, filter=searched, path=path)
    folders = outermost(folder(text) for text in chosen.folders if text and "\0" not in text)
    inside = sorted(folders)
    keys = dict.fromkeys(key for key in chosen.keys if key and "\0" not in key and not lies_in(key, inside))
    return Selection(space, bucket, keys=tuple(keys), folders=folders, path=path)
