"""What each operation does, in words that complete the sentence "We tried to …", and which of them a view sends."""

from collections.abc import Callable
from typing import Any, TypeVar

V = TypeVar("V", bound=Callable[..., Any])

WORDS = {
    "M1": "list the projects",
    "M2": "create the project",
    "M3": "list the organizations",
    "M4": "create the organization",
    "M5": "read the secrets",
    "M6": "save the secrets",
    "M7": "delete the secrets",
    "M8": "generate the types",
    "M9": "create the function",
    "M10": "list the functions",
    "M11": "read the function",
    "M12": "update the function",
    "M13": "delete the function",
    "M14": "read the function's body",
    "M15": "read the custom hostname",
    "M16": "delete the custom hostname",
    "M17": "set up the custom hostname",
    "M18": "verify the custom hostname",
    "M19": "activate the custom hostname",
    "M20": "read the root key",
    "M21": "replace the root key",
    "M22": "read the network bans",
    "M23": "lift the bans",
    "M24": "read the network restrictions",
    "M25": "apply the network restrictions",
    "S1": "create the bucket",
    "S2": "list the buckets",
    "S3": "empty the bucket",
    "S4": "read the bucket",
    "S5": "change the bucket",
    "S6": "delete the bucket",
    "S7": "delete the object",
    "S8": "delete the objects",
    "S9": "upload the object",
    "S10": "replace the object",
    "S11": "move the object",
    "S12": "copy the object",
    "S13": "list the objects",
    "S14": "create a signed link",
    "S15": "create signed links",
    "S16": "open the signed link",
    "S17": "read the object",
    "S18": "read the object",
    "S19": "read the object's details",
    "S20": "read the public object",
    "S21": "read the public object's details",
}

# What the operations and our own acts are about, for filters.
KINDS = {
    "Projects": ("M1", "M2", "M3", "M4", "label changed"),
    "Secrets": ("M5", "M6", "M7"),
    "Functions": ("M9", "M10", "M11", "M12", "M13", "M14", "function note changed"),
    "Hostname": ("M15", "M16", "M17", "M18", "M19"),
    "Network": ("M22", "M23", "M24", "M25"),
    "Root key": ("M20", "M21"),
    "Buckets": ("S1", "S2", "S3", "S4", "S5", "S6"),
    "Objects": ("S7", "S8", "S9", "S10", "S11", "S12", "S13", "S17", "S18", "S19", "S20", "S21", "downloaded"),
    "Links": (
        "S14",
        "S15",
        "S16",
        "link shared",
        "link changed",
        "link revoked",
        "links revoked",
        "link reopened",
        "links reopened",
        "files requested",
        "file request changed",
        "file request revoked",
        "file request restored",
    ),
    "Sandbox": ("sandbox switched", "sandbox DNS published", "sandbox DNS removed"),
}
TEAM = "Team and sign-in"


def kind_of(operation: str) -> str:
    """Return what an operation or an act of ours is about: a key of `KINDS`, or `TEAM`."""
    return next((kind for kind, members in KINDS.items() if operation in members), TEAM)


def sends(*operations: str) -> Callable[[V], V]:
    """Name the operations that a view's form or review sends, for "Show request"."""

    def mark(view: V) -> V:
        view.__dict__["sends"] = operations
        return view

    return mark


def words(operation: str) -> str:
    return WORDS.get(operation, "ask the service")


# Likely causes specific to one operation, by operation and failure.
CAUSES = {
    ("M8", "TimedOut"): "A large schema can take longer than the service waits for its database. Ask for fewer schemas at once.",
    ("M8", "Rejected"): "The project may still be starting, without a database to read. Try again in a few minutes.",
    **dict.fromkeys(
        (("M20", "Rejected"), ("M22", "Rejected"), ("M24", "Rejected")),
        "The project may still be starting, without a database. Try again in a few minutes.",
    ),
}


def usual_cause(operation: str, failure: str) -> str:
    """Return the operation's specific cause, or an empty string."""
    return CAUSES.get((operation, failure), "")
