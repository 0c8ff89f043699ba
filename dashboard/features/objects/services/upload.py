"""Plan an upload: names and conflicts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dashboard.catalog.receipts import Found, Parallel, read_existing, taken
from dashboard.catalog.uploads import UNKNOWN_TYPE, content_type_of
from dashboard.interfaces.names import suggest_upload, upload_problem
from dashboard.snapshots.replacements import WITHOUT
from dashboard.tokens.workspace import Workspace

KeyState = Literal["new", "same", "different"]
FILES_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Offered:
    """A file to upload: its key, its size, and the type given by the browser, or ""."""

    key: str
    size: int
    type: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The plan for one file.

    `problem`: why the service would refuse the name; `suggestion`: a valid name, or "". `state` is that of the suggestion if
    there is a problem, else of the key; "different" includes unknown sizes (`there` None). `type`: the type to store.
    """

    key: str
    problem: str = ""
    suggestion: str = ""
    state: KeyState = "new"
    there: int | None = None
    type: str = UNKNOWN_TYPE

    @property
    def wanted(self) -> str:
        """The key to upload to, or ""."""
        return self.suggestion if self.problem else self.key


@dataclass(frozen=True, slots=True)
class UploadPlan:
    """Verdicts in order, and where listings may continue (`Found.reached`)."""

    verdicts: list[Verdict]
    reached: dict[str, int]


def plan(
    workspace: Workspace, space: str, bucket: str, files: Sequence[Offered], *, start: Mapping[str, int], parallel: Parallel
) -> UploadPlan:
    """Return one verdict per file, for up to 1,000 files. S15 finds taken keys, S13 or S19 their sizes."""
    storage = workspace.storage(space)
    named = [_check_name(file) for file in files]
    there = taken(storage, bucket, list(dict.fromkeys(verdict.wanted for verdict in named if verdict.wanted)))
    told = read_existing(storage, bucket, sorted(there), start=start, parallel=parallel)
    verdicts = [_compared(verdict, file, there, told) for verdict, file in zip(named, files, strict=True)]
    return UploadPlan(verdicts, told.reached)


def policies_of(workspace: Workspace, space: str, bucket: str, keys: Sequence[str], policy: str) -> dict[str, str]:
    """Return the policy per key: only existing objects (S15) can be replaced, with or without keeping them."""
    if policy not in {"replace", WITHOUT[0]}:
        return dict.fromkeys(keys, policy)
    there = taken(workspace.storage(space), bucket, keys)
    return {key: policy if key in there else "new" for key in keys}


def _check_name(file: Offered) -> Verdict:
    problem = upload_problem(file.key, file.size)
    if problem is None:
        return Verdict(file.key, type=content_type_of(file.key, file.type))
    return Verdict(file.key, problem, suggest_upload(file.key, file.size), type=content_type_of(file.key, file.type))


def _compared(verdict: Verdict, file: Offered, there: Collection[str], told: Found) -> Verdict:
    if verdict.wanted not in there:
        return verdict
    there_is = told.found.get(verdict.wanted)
    size = there_is.size if there_is else None
    return replace(verdict, state="same" if size == file.size else "different", there=size)
