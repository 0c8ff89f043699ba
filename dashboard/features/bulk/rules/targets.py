"""Where objects go when they are moved, copied or renamed. Pure text: nothing here asks the service.

A transfer is told by two beginnings: an object called `base + rest` arrives as `to + rest`. So a move into a folder, the new name
of a folder and the new name of one object are the same thing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dashboard.catalog.archive_names import base_of
from dashboard.catalog.keys import folder_of, name_of
from dashboard.catalog.selection import Selection
from dashboard.interfaces.names import key_problem

Verb = Literal["move", "copy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """What is to go where: everything selected, from `base` to `to` in `bucket`."""

    verb: Verb
    selection: Selection
    base: str
    bucket: str
    to: str

    @property
    def space(self) -> str:
        return self.selection.space

    @property
    def source(self) -> str:
        """The bucket it comes from."""
        return self.selection.bucket

    @property
    def is_across(self) -> bool:
        return self.bucket != self.selection.bucket

    def arrival(self, key: str) -> str:
        return self.to + key.removeprefix(self.base)

    def as_parameters(self) -> dict[str, Any]:
        """Plain JSON, for a job."""
        return {
            "selection": self.selection.as_parameters(),
            "verb": self.verb,
            "base": self.base,
            "to_bucket": self.bucket,
            "to": self.to,
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Transfer":
        return cls(
            verb=parameters["verb"],
            selection=Selection.from_parameters(parameters["selection"]),
            base=parameters["base"],
            bucket=parameters["to_bucket"],
            to=parameters["to"],
        )


def into(verb: Verb, selection: Selection, bucket: str, folder: str) -> Transfer:
    """Everything selected into a folder ("" is the bucket's root): what lay side by side lies side by side there."""
    return Transfer(verb=verb, selection=selection, base=base_of(selection), bucket=bucket, to=folder)


def renamed(selection: Selection, name: str) -> Transfer:
    """The one object or folder that is selected, under another last name in the same place."""
    old = (selection.keys or selection.folders)[0]
    ending = "/" if selection.folders else ""
    there = folder_of(old.removesuffix("/") if ending else old)
    return Transfer(verb="move", selection=selection, base=old, bucket=selection.bucket, to=f"{there}{name}{ending}")


def problem(transfer: Transfer) -> str:
    """Why this can't be done, as a sentence; "" when it can be tried."""
    if not transfer.is_across:
        if transfer.to == transfer.base and (transfer.verb == "move" or transfer.selection.folders):
            return "It is there already: choose another place."
        for folder in transfer.selection.folders:
            if transfer.to.startswith(folder):
                return f"The folder “{name_of(folder[:-1])}” can't go into itself."
    name = transfer.to.removesuffix("/")
    if name and (refused := key_problem(name)):
        return refused
    return ""
