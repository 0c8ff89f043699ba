"""From a name on somebody's disk to an object: names judged, taken names found, bytes handed on."""

import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dashboard.index.places import PLACEHOLDER, folder_of, numbered
from dashboard.interfaces.errors import Conflict
from dashboard.interfaces.names import key_problem, suggest_key
from dashboard.interfaces.transport.bodies import SizedReader
from dashboard.tokens.workspace import Workspace

Policy = Literal["new", "replace", "both"]
POLICIES: tuple[Policy, ...] = ("new", "replace", "both")
NAMES_AT_ONCE = 1000
UNKNOWN_TYPE = "application/octet-stream"
_BESIDE = 40


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be known of a name before its first byte is sent.

    `problem` says why the service would refuse the name and `suggestion` is one it would take ("" where there is none);
    `exists` tells of the suggestion where there is a problem, of the key otherwise.
    """

    key: str
    problem: str = ""
    suggestion: str = ""
    exists: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """What was stored: the key it has now, and its size in bytes."""

    key: str
    size: int


def judge(workspace: Workspace, space: str, bucket: str, keys: Sequence[str]) -> list[Verdict]:
    """One verdict a key, in order; at most 1,000 keys. One S15 whose links live a second tells which names are taken."""
    verdicts = [_judge_name(key) for key in keys]
    asked = list(
        dict.fromkeys(verdict.suggestion or verdict.key for verdict in verdicts if verdict.suggestion or not verdict.problem)
    )
    taken = _taken(workspace, space, bucket, asked)
    return [
        Verdict(verdict.key, verdict.problem, verdict.suggestion, exists=(verdict.suggestion or verdict.key) in taken)
        for verdict in verdicts
    ]


def store(
    workspace: Workspace,
    space: str,
    bucket: str,
    key: str,
    body: bytes | SizedReader,
    *,
    size: int,
    content_type: str,
    policy: Policy,
) -> Kept:
    """S9 with the body as it arrives. "new" refuses a taken key (`Conflict`), "replace" overwrites it, "both" finds a free
    name beside it first (S15). Nothing is sent for a name the service does not take: the caller asks `key_problem` before.
    """
    if policy == "both":
        key = _free(workspace, space, bucket, key)
    sent = content_type_of(key, content_type)
    with workspace.record("S9", target=f"object {bucket}/{key}", place=space) as change:
        stored = workspace.storage(space).objects.upload(bucket, key, body, content_type=sent, upsert=policy == "replace")
        change.after = {"size": size, "type": sent, "replace": policy == "replace"}
    return Kept(key=stored.key.removeprefix(f"{bucket}/"), size=size)


def make_folder(workspace: Workspace, space: str, bucket: str, path: str) -> None:
    """S9: the empty object that keeps an empty folder. `Conflict` where the folder is kept already."""
    key = path + PLACEHOLDER
    with workspace.record("S9", target=f"folder {bucket}/{path}", place=space):
        workspace.storage(space).objects.upload(bucket, key, b"", content_type=UNKNOWN_TYPE)


def content_type_of(key: str, claimed: str) -> str:
    """The type to store: what the browser says, else what the name's ending tells. A form's type would be taken apart."""
    claimed = claimed.strip()
    if "/" not in claimed or claimed.startswith("multipart/") or claimed == UNKNOWN_TYPE:
        return mimetypes.guess_type(key.rpartition("/")[2], strict=False)[0] or UNKNOWN_TYPE
    return claimed


def _judge_name(key: str) -> Verdict:
    problem = key_problem(key)
    if problem is None:
        return Verdict(key)
    suggestion = suggest_key(key)
    return Verdict(key, problem, "" if suggestion == key or key_problem(suggestion) else suggestion)


def _taken(workspace: Workspace, space: str, bucket: str, keys: Sequence[str]) -> set[str]:
    if not keys:
        return set()
    items = workspace.storage(space).signing.sign_many(bucket, keys, expires_in=1)
    return {key for key, item in zip(keys, items, strict=True) if item.link}


def _free(workspace: Workspace, space: str, bucket: str, key: str) -> str:
    beside = [key, *(name for name in numbered(key, _BESIDE) if folder_of(name) == folder_of(key))]
    taken = _taken(workspace, space, bucket, beside)
    for name in beside:
        if name not in taken:
            return name
    raise Conflict(operation="S9", service="storage", text=f"{key} and {_BESIDE} names beside it are taken.")
