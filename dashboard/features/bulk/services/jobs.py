"""Begin long work on objects: each verb is a job."""

from dashboard.catalog.keys import printable
from dashboard.catalog.selection import Selection
from dashboard.features.bulk.rules.targets import Transfer
from dashboard.jobs.models import Approval, Job
from dashboard.jobs.transitions import start
from dashboard.tokens.workspace import Workspace

DELETION, MOVE, COPY, EMPTYING, REMOVAL = "delete objects", "move objects", "copy objects", "empty bucket", "remove bucket"
LONG = 60


def delete(workspace: Workspace, selection: Selection, *, back: str) -> Job:
    """S8, after a plan that its owner has to agree to."""
    return start(
        workspace,
        DELETION,
        title=f"Delete {_named(selection)} from {selection.bucket}",
        place=selection.space,
        back=back,
        parameters={"selection": selection.as_parameters()},
    )


def transfer(workspace: Workspace, wanted: Transfer, *, back: str) -> Job:
    """S11, S12. It begins by itself where nothing stands in the way."""
    return _carry(workspace, wanted, f"{wanted.verb.capitalize()} {_named(wanted.selection)} to {_place(wanted)}", back=back)


def rename(workspace: Workspace, wanted: Transfer, *, back: str) -> Job:
    """S11: one object, or everything in a folder."""
    return _carry(workspace, wanted, f"Rename {_named(wanted.selection)} to {_short(wanted.to)}", back=back)


def empty(workspace: Workspace, space: str, bucket: str, *, back: str) -> Job:
    """S3, or S8 where that is refused."""
    return _on_bucket(workspace, EMPTYING, "Empty", space, bucket, back=back)


def remove(workspace: Workspace, space: str, bucket: str, *, back: str) -> Job:
    """The same, and then S6."""
    return _on_bucket(workspace, REMOVAL, "Empty and delete", space, bucket, back=back)


def _carry(workspace: Workspace, wanted: Transfer, title: str, *, back: str) -> Job:
    kind = MOVE if wanted.verb == "move" else COPY
    parameters = wanted.as_parameters()
    return start(
        workspace, kind, title=title, place=wanted.space, back=back, parameters=parameters, approval=Approval.ON_CONFLICT
    )


def _on_bucket(workspace: Workspace, kind: str, verb: str, space: str, bucket: str, *, back: str) -> Job:
    parameters = {"space": space, "bucket": bucket}
    return start(workspace, kind, title=f"{verb} the bucket {_short(bucket)}", place=space, back=back, parameters=parameters)


def _named(selection: Selection) -> str:
    """The one thing by its name, several by their number."""
    if not selection.filter and len(selection.keys) + len(selection.folders) == 1:
        return _short((selection.keys or selection.folders)[0])
    return _short(selection.sentence())


def _place(wanted: Transfer) -> str:
    there = _short(wanted.to) if wanted.to else "the bucket's root"
    if not wanted.is_across:
        return there
    return f"{_short(wanted.bucket)}, {there}" if wanted.to else f"the bucket {_short(wanted.bucket)}"


def _short(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= LONG else f"{shown[: LONG // 2]}…{shown[-LONG // 2 + 1 :]}"
