"""Apply a reviewed draft: one M6, at most one M7, then M5 to verify each name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dashboard.features.secrets.records import (
    CONFIRMED,
    DELETED,
    DIFFERENT,
    MISSING,
    NOT_DELETED,
    SAVED,
    UNKNOWN,
    NameOutcome,
    Result,
)
from dashboard.features.secrets.rules.plan import is_same
from dashboard.features.secrets.services.secrets import are_deleted, are_saved, touched, wanted_deletions, wanted_values
from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.interfaces.management.secrets import Secret
from dashboard.jobs.settlement import Wanted, observe, require_settled, settle
from dashboard.journal.models import Outcome
from dashboard.journal.recorder import Change, correct, digest
from dashboard.tokens.workspace import Workspace
from dashboard.web.errors import Stopped
from dashboard.web.problems import said, sentence

TARGET_NAMES = 5

Secrets = Mapping[str, Secret]


@dataclass(frozen=True, slots=True)
class _Sent:
    """A write that wasn't refused. After a `failure`, `seen` is what was read back at once, or `unread` why not."""

    is_done: bool = True
    failure: InterfaceError | None = None
    seen: Secrets | None = None
    unread: InterfaceError | None = None
    entry: int = 0


@dataclass(frozen=True, slots=True)
class _Write:
    """One write: its journal entry, its request, and the test for success."""

    operation: str
    names: Sequence[str]
    after: Mapping[str, object]
    request: Callable[[], None]
    wanted: Wanted
    shows: Callable[[Sequence[Secret], Wanted], bool]


def apply(workspace: Workspace, ref: str, values: Mapping[str, str], names: Sequence[str], known: Secrets) -> Result:
    """Save `values` (M6), delete `names` (M7) and verify (M5). After an M6 with an unknown outcome no M7 is sent.

    `known` is what the service returned last, by name. Raises the refusal, or what stopped it, when nothing was changed.
    """
    require_settled(workspace, ref, *touched([*values, *names]))
    saved = _save(workspace, ref, values, known) if values else _Sent()
    deleted, refusal = _Sent(), ""
    if names and saved.is_done:
        try:
            deleted = _delete(workspace, ref, names, known)
        except (InterfaceError, Stopped) as error:
            if not values:
                raise
            refusal = sentence(error) if isinstance(error, InterfaceError) else str(error)
    last = deleted if deleted.failure else saved
    seen, unread = (last.seen, last.unread) if last.failure and not last.is_done else _read_back(workspace, ref)
    result = Result(
        failure=said(last.failure) if last.failure else "",
        refusal=refusal,
        may_still_run=last.failure is not None and not last.failure.is_over,
        skipped=tuple(names) if not saved.is_done else (),
        entries=tuple(sent.entry for sent in (saved, deleted) if sent.entry),
    )
    return _compare(result, values, names if saved.is_done else (), seen, unread)


def verify(workspace: Workspace, ref: str, values: Mapping[str, str], result: Result) -> Result:
    """Compare an unknown result with what the service returns now, and correct the journal where that shows success."""
    seen, unread = _read_back(workspace, ref)
    names = [one.name for one in result.outcomes if one.is_deletion]
    found = _compare(result, {name: values[name] for name in result.to_save if name in values}, names, seen, unread)
    if seen is not None:
        observe(workspace, ref, list(seen.values()), "M6", "M7")
    for entry in result.entries if found.is_good else ():
        correct(entry, Outcome.DONE)
    return found


def _compare(
    result: Result, values: Mapping[str, str], names: Sequence[str], seen: Secrets | None, unread: InterfaceError | None
) -> Result:
    if seen is None:
        state = UNKNOWN if result.failure else CONFIRMED
        outcomes = [NameOutcome(name, state) for name in values] + [NameOutcome(name, state, is_deletion=True) for name in names]
    else:
        outcomes = [NameOutcome(name, _state(value, seen.get(name))) for name, value in values.items()]
        outcomes += [NameOutcome(name, NOT_DELETED if name in seen else DELETED, is_deletion=True) for name in names]
    return replace(result, outcomes=tuple(outcomes), unread=sentence(unread) if unread else "")


def _state(value: str, secret: Secret | None) -> str:
    if secret is None:
        return MISSING
    return SAVED if is_same(secret, value) else DIFFERENT


def _save(workspace: Workspace, ref: str, values: Mapping[str, str], known: Secrets) -> _Sent:
    after = {"values": {name: digest(value) for name, value in values.items()}}
    create = partial(workspace.management.secrets.create, ref, values)
    return _send(workspace, ref, _Write("M6", list(values), after, create, wanted_values(values), are_saved), known)


def _delete(workspace: Workspace, ref: str, names: Sequence[str], known: Secrets) -> _Sent:
    delete = partial(workspace.management.secrets.delete, ref, names)
    return _send(workspace, ref, _Write("M7", names, {}, delete, wanted_deletions(names), are_deleted), known)


def _send(workspace: Workspace, ref: str, write: _Write, known: Secrets) -> _Sent:
    """Send one journaled write. Without a conclusive answer, read back; a worker continues if it may still be running."""
    before = {name: digest(known[name].value) for name in write.names if name in known}
    entry = 0
    try:
        with settle(
            workspace,
            write.operation,
            target=_target(write.names),
            place=ref,
            before={"returned": before} if before else None,
            wanted=write.wanted,
            touches=touched(write.names),
        ) as change:
            change.after, entry = {**write.after} or None, change.entry
            try:
                write.request()
            except InterfaceError as error:
                if not error.is_over:
                    raise
                return _ended(workspace, ref, write, change, error)
    except InterfaceError as lost:
        if lost.effect is not Effect.UNKNOWN:
            raise
        seen, unread = _read_back(workspace, ref)
        return _Sent(is_done=False, failure=lost, seen=seen, unread=unread, entry=entry)
    return _Sent()


def _ended(workspace: Workspace, ref: str, write: _Write, change: Change, error: InterfaceError) -> _Sent:
    """The service failed and ended the request, so reading back is conclusive."""
    seen, unread = _read_back(workspace, ref)
    is_done = seen is not None and write.shows(list(seen.values()), write.wanted)
    change.outcome = Outcome.DONE if is_done else Outcome.UNKNOWN
    change.status, change.message = error.status, error.text or str(error)
    return _Sent(is_done, failure=error, seen=seen, unread=unread, entry=change.entry)


def _read_back(workspace: Workspace, ref: str) -> tuple[Secrets | None, InterfaceError | None]:
    try:
        return {secret.name: secret for secret in workspace.management.secrets.all(ref)}, None
    except InterfaceError as error:
        return None, error


def _target(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"secret {names[0]}"
    more = f" and {len(names) - TARGET_NAMES} more" if len(names) > TARGET_NAMES else ""
    return f"{len(names)} secrets: {', '.join(names[:TARGET_NAMES])}{more}"
