"""Apply a reviewed draft: one M6, at most one M7, then M5 to verify each name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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
from dashboard.features.secrets.rules.digests import digests_of, has_value
from dashboard.features.secrets.services.secrets import are_deleted, are_saved, touched, wanted_deletions, wanted_values
from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.interfaces.management.secrets import Secret
from dashboard.jobs.settlement import observe, require_settled, settle
from dashboard.journal.models import Outcome
from dashboard.journal.recorder import correct, digest
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


def apply(workspace: Workspace, ref: str, values: Mapping[str, str], names: Sequence[str], known: Secrets) -> Result:
    """Save `values` (M6), delete `names` (M7) and verify (M5). After an M6 with an unknown outcome no M7 is sent.

    `known` is what the service returned last, by name. Raises the refusal, or what stopped it, when nothing was changed.
    """
    require_settled(workspace, ref, *touched([*values, *names]))
    saved = _send(workspace, ref, list(values), known, values) if values else _Sent()
    deleted, refusal = _Sent(), ""
    if names and saved.is_done:
        try:
            deleted = _send(workspace, ref, names, known)
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
    return SAVED if has_value(secret, digests_of(value)) else DIFFERENT


def _send(workspace: Workspace, ref: str, names: Sequence[str], known: Secrets, values: Mapping[str, str] | None = None) -> _Sent:
    """Send one journaled write: save these values, or delete these names.

    Without a conclusive answer, read back; a worker continues if the request may still be running.
    """
    secrets = workspace.management.secrets
    before = {name: digest(known[name].value) for name in names if name in known}
    wanted = wanted_deletions(names) if values is None else wanted_values(values)
    entry = 0
    try:
        with settle(
            workspace,
            "M7" if values is None else "M6",
            target=_target(names),
            place=ref,
            before={"returned": before} if before else None,
            wanted=wanted,
            touches=touched(names),
        ) as change:
            entry = change.entry
            change.after = {"values": {name: digest(value) for name, value in values.items()}} if values else None
            try:
                secrets.delete(ref, names) if values is None else secrets.create(ref, values)
            except InterfaceError as error:
                if not error.is_over:
                    raise
                # The service failed and ended the request, so reading back is conclusive.
                seen, unread = _read_back(workspace, ref)
                shows = are_deleted if values is None else are_saved
                is_done = seen is not None and shows(list(seen.values()), wanted)
                change.outcome = Outcome.DONE if is_done else Outcome.UNKNOWN
                change.status, change.message = error.status, error.text or str(error)
                return _Sent(is_done, failure=error, seen=seen, unread=unread, entry=entry)
    except InterfaceError as lost:
        if lost.effect is not Effect.UNKNOWN:
            raise
        seen, unread = _read_back(workspace, ref)
        return _Sent(is_done=False, failure=lost, seen=seen, unread=unread, entry=entry)
    return _Sent()


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
