"""Send what was chosen in a review: one M6, at most one M7, then M5, and one outcome for each name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dashboard.features.secrets.records import CONFIRMED, GONE, KEPT, MISSING, OTHER, SAVED, UNREAD, Named, Result
from dashboard.features.secrets.services.outcomes import are_deleted, are_saved, deleted, saved, touched
from dashboard.features.secrets.services.plan import is_same
from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.interfaces.management.secrets import Secret
from dashboard.jobs.settlement import Wanted, observe, require_settled, settle
from dashboard.journal.models import Outcome
from dashboard.journal.recorder import Change, correct, digest
from dashboard.tokens.workspace import Workspace
from dashboard.web.errors import Stopped
from dashboard.web.problems import effect_of, said, sentence

TARGET_NAMES = 5

Seen = Mapping[str, Secret]


@dataclass(frozen=True, slots=True)
class _Sent:
    """A request that was not refused. `failure`: no answer said that it is done; `seen` is what was read back at once, then."""

    is_done: bool = True
    failure: InterfaceError | None = None
    seen: Seen | None = None
    unread: InterfaceError | None = None
    entry: int = 0


@dataclass(frozen=True, slots=True)
class _Write:
    """One write: what the journal says of it, how it is sent, and how reading back tells that it was done."""

    operation: str
    names: Sequence[str]
    after: Mapping[str, object]
    request: Callable[[], None]
    wanted: Wanted
    shows: Callable[[Sequence[Secret], Wanted], bool]


def apply(workspace: Workspace, ref: str, values: Mapping[str, str], names: Sequence[str], known: Seen) -> Result:
    """Save `values` (M6), delete `names` (M7), read back (M5). What is empty is not sent; after a doubtful M6 no M7 is.

    `known` is what the service returned last, by name. Raises the refusal, or what stopped it, when nothing was changed.
    """
    require_settled(workspace, ref, *touched([*values, *names]))
    save = _save(workspace, ref, values, known) if values else _Sent()
    delete, refusal = _Sent(), ""
    if names and save.is_done:
        try:
            delete = _delete(workspace, ref, names, known)
        except (InterfaceError, Stopped) as error:
            if not values:
                raise
            refusal = sentence(error) if isinstance(error, InterfaceError) else str(error)
    last = delete if delete.failure else save
    seen, unread = (last.seen, last.unread) if last.failure and not last.is_done else _read_back(workspace, ref)
    result = Result(
        failure=said(last.failure) if last.failure else "",
        refusal=refusal,
        may_still_run=last.failure is not None and not last.failure.is_over,
        skipped=tuple(names) if not save.is_done else (),
        entries=tuple(sent.entry for sent in (save, delete) if sent.entry),
    )
    return compare(result, values, names if save.is_done else (), seen, unread)


def verify(workspace: Workspace, ref: str, values: Mapping[str, str], result: Result) -> Result:
    """An unknown result compared with what the service returns now; the journal learns when it is found."""
    seen, unread = _read_back(workspace, ref)
    names = [named.name for named in result.named if named.is_deletion]
    found = compare(result, {name: values[name] for name in result.to_save if name in values}, names, seen, unread)
    if seen is not None:
        observe(workspace, ref, list(seen.values()), "M6", "M7")
    for entry in result.entries if found.is_good else ():
        correct(entry, Outcome.DONE)
    return found


def compare(
    result: Result, values: Mapping[str, str], names: Sequence[str], seen: Seen | None, unread: InterfaceError | None
) -> Result:
    """The result with the state of each name, as far as it was read."""
    if seen is None:
        state = UNREAD if result.failure else CONFIRMED
        named = [Named(name, state) for name in values] + [Named(name, state, is_deletion=True) for name in names]
    else:
        named = [Named(name, _written(value, seen, name)) for name, value in values.items()]
        named += [Named(name, KEPT if name in seen else GONE, is_deletion=True) for name in names]
    return replace(result, named=tuple(named), unread=sentence(unread) if unread else "")


def _save(workspace: Workspace, ref: str, values: Mapping[str, str], known: Seen) -> _Sent:
    after = {"values": {name: digest(value) for name, value in values.items()}}
    create = partial(workspace.management.secrets.create, ref, values)
    return _send(workspace, ref, _Write("M6", list(values), after, create, saved(values), are_saved), known)


def _delete(workspace: Workspace, ref: str, names: Sequence[str], known: Seen) -> _Sent:
    delete = partial(workspace.management.secrets.delete, ref, names)
    return _send(workspace, ref, _Write("M7", names, {}, delete, deleted(names), are_deleted), known)


def _send(workspace: Workspace, ref: str, write: _Write, known: Seen) -> _Sent:
    """One journaled write. Without an answer that counts the list is read back, for ten minutes where it may still run."""
    before = {name: digest(known[name].value) for name in write.names if name in known}
    returned, touches, entry = {"returned": before} if before else None, touched(write.names), 0
    try:
        with settle(
            workspace,
            write.operation,
            target=_target(write.names),
            place=ref,
            before=returned,
            wanted=write.wanted,
            touches=touches,
        ) as change:
            change.after, entry = {**write.after} or None, change.entry
            try:
                write.request()
            except InterfaceError as error:
                if not error.is_over:
                    raise
                return _ended(workspace, ref, write, change, error)
    except InterfaceError as lost:
        if effect_of(lost) is not Effect.UNKNOWN:
            raise
        seen, unread = _read_back(workspace, ref)
        return _Sent(False, failure=lost, seen=seen, unread=unread, entry=entry)
    return _Sent()


def _ended(workspace: Workspace, ref: str, write: _Write, change: Change, error: InterfaceError) -> _Sent:
    """The service failed and ended the request: what is read now is how it ended."""
    seen, unread = _read_back(workspace, ref)
    is_done = seen is not None and write.shows(list(seen.values()), write.wanted)
    change.outcome = Outcome.DONE if is_done else Outcome.UNKNOWN
    change.status, change.message = error.status, error.text or str(error)
    return _Sent(is_done, failure=error, seen=seen, unread=unread, entry=change.entry)


def _read_back(workspace: Workspace, ref: str) -> tuple[Seen | None, InterfaceError | None]:
    try:
        return {secret.name: secret for secret in workspace.management.secrets.all(ref)}, None
    except InterfaceError as error:
        return None, error


def _written(value: str, seen: Seen, name: str) -> str:
    if name not in seen:
        return MISSING
    return SAVED if is_same(seen[name], value) else OTHER


def _target(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"secret {names[0]}"
    more = f" and {len(names) - TARGET_NAMES} more" if len(names) > TARGET_NAMES else ""
    return f"{len(names)} secrets: {', '.join(names[:TARGET_NAMES])}{more}"
