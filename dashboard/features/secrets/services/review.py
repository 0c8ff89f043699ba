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
from dashboard.features.secrets.rules.comparison import digests_of, has_value
from dashboard.features.secrets.services.secrets import before_of, touched, wanted_deletions, wanted_values
from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.interfaces.management.secrets import Secret
from dashboard.jobs.settlement import observe, require_settled, settle, waiting_among
from dashboard.journal.recorder import digest
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.cards import Stopped
from dashboard.web.failures.problems import said, sentence

TARGET_NAMES = 5
INTERRUPTED = "Pilothouse was interrupted while it saved these secrets."

Secrets = Mapping[str, Secret]


@dataclass(frozen=True, slots=True)
class _Lost:
    """A write whose outcome is being checked."""

    error: InterfaceError
    entry: int


def apply(workspace: Workspace, ref: str, values: Mapping[str, str], names: Sequence[str], known: Secrets) -> Result:
    """Save `values` (M6), delete `names` (M7) and verify (M5). After an M6 with an unknown outcome no M7 is sent.

    Names with an earlier change in doubt are left out; if that is all of them, it raises `Unsettled`. `known` is what the service
    returned last, by name. Raises the refusal, or what stopped it, if nothing was changed.
    """
    held = waiting_among(workspace, ref, touched([*values, *names]))
    waiting = tuple(name for name in [*values, *names] if held.intersection(touched([name])))
    if len(waiting) == len(values) + len(names):
        require_settled(workspace, ref, *held)
    values = {name: value for name, value in values.items() if name not in waiting}
    names = [name for name in names if name not in waiting]
    unsaved = _send(workspace, ref, list(values), known, values) if values else None
    skipped = tuple(names) if unsaved else ()
    undeleted, refusal = None, ""
    if names and not skipped:
        try:
            undeleted = _send(workspace, ref, names, known)
        except (InterfaceError, Stopped) as error:
            if not values:
                raise
            refusal = sentence(error) if isinstance(error, InterfaceError) else str(error)
    lost = unsaved or undeleted
    result = Result(
        failure=said(lost.error) if lost else "",
        refusal=refusal,
        skipped=skipped,
        waiting=waiting,
        entry=lost.entry if lost else 0,
    )
    return _compare(result, values, () if skipped else names, *_read_back(workspace, ref))


def verify(workspace: Workspace, ref: str, values: Mapping[str, str], result: Result) -> Result:
    """Compare an unknown result with what the service returns now, which may settle its entry.

    After an interruption the ticks are unknown, so all values are compared.
    """
    if result.outcomes:
        values = {name: values[name] for name in result.to_save if name in values}
    else:
        result = replace(result, failure=result.failure or INTERRUPTED)
    seen, unread = _read_back(workspace, ref)
    found = _compare(result, values, [one.name for one in result.outcomes if one.is_deletion], seen, unread)
    if seen is not None:
        observe(workspace, ref, list(seen.values()), "M6", "M7")
    return found


def _compare(result: Result, values: Mapping[str, str], names: Sequence[str], seen: Secrets | None, unread: str) -> Result:
    outcomes = [NameOutcome(name, _state(result, seen, name, value)) for name, value in values.items()]
    outcomes += [NameOutcome(name, _state(result, seen, name), is_deletion=True) for name in names]
    return replace(result, outcomes=tuple(outcomes), unread=unread)


def _state(result: Result, seen: Secrets | None, name: str, value: str | None = None) -> str:
    """Return the state of a name that was to be saved with this value or, without one, to be deleted."""
    if seen is None:
        return UNKNOWN if result.failure else CONFIRMED
    if value is None:
        return NOT_DELETED if name in seen else DELETED
    if name not in seen:
        return MISSING
    return SAVED if has_value(seen[name], digests_of(value)) else DIFFERENT


def _send(
    workspace: Workspace, ref: str, names: Sequence[str], known: Secrets, values: Mapping[str, str] | None = None
) -> _Lost | None:
    """Send one journaled write that saves these values or deletes these names."""
    secrets = workspace.management.secrets
    wanted = wanted_deletions(names) if values is None else wanted_values(values)
    entry = 0
    try:
        with settle(
            workspace,
            "M7" if values is None else "M6",
            target=_target(names),
            place=ref,
            before=before_of(known, names),
            wanted=wanted,
            touches=touched(names),
            keep={"secrets": dict(values)} if values else None,
        ) as change:
            entry = change.entry
            change.after = {"values": {name: digest(value) for name, value in values.items()}} if values else None
            secrets.delete(ref, names) if values is None else secrets.create(ref, values)
    except InterfaceError as error:
        if error.effect is not Effect.UNKNOWN:
            raise
        return _Lost(error, entry)
    return None


def _read_back(workspace: Workspace, ref: str) -> tuple[Secrets | None, str]:
    """Return the secrets by name (M5), as the answers of M6 and M7 don't say what is stored; or None and why they are unread."""
    try:
        return {secret.name: secret for secret in workspace.management.secrets.all(ref)}, ""
    except InterfaceError as error:
        return None, sentence(error)


def _target(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"secret {names[0]}"
    more = f" and {len(names) - TARGET_NAMES} more" if len(names) > TARGET_NAMES else ""
    return f"{len(names)} secrets: {', '.join(names[:TARGET_NAMES])}{more}"
