"""Store, check and delete tokens."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dashboard.interfaces import Placement, StorageInterface, Token, errors
from dashboard.journal.recorder import record
from dashboard.team.models import Person
from dashboard.tokens import abilities, checks, last_known, sandbox, spaces
from dashboard.tokens.formats import BadToken, cleaned, is_service_key
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from dashboard.vault.lookup import digest
from dashboard.web.failures.request_log import call_observer
from dashboard.web.input.typed_secrets import UNCHECKED
from dashboard.web.limits.slots import Waiting

# 128 bits, because fingerprints decide who sees cached data; pages show the first digits.
FINGERPRINT_DIGITS = 32
SHOWN = 8
NOT_CHECKED = "The token was not stored because the service could not check it. Try again in a moment."

Succession = Callable[[StorageInterface, str, str, str], Callable[[], None]]

_listeners: list[Callable[[Person, str], None]] = []
_successions: list[Succession] = []


def on_change(listener: Callable[[Person, str], None]) -> None:
    """Register a callback (person, space) for stored and deleted storage tokens."""
    _listeners.append(listener)


def on_succession(prepare: Succession) -> None:
    """Register a function to call when one service key is about to replace another.

    `prepare` gets the storage with the new key, the space, and the fingerprints of the old and the new key. It may call the
    service. The function it returns runs in the transaction that replaces the key.
    """
    _successions.append(prepare)


def store(person: Person, kind: str, space: str, pasted: str, *, action: str = "") -> StoredToken:
    """Check a token with the service (M3 and M1, or S2) and store it in place of an earlier one.

    `space` is empty for the management token. The activity lists tokens of one `action` as one entry. Raises `BadToken` if
    nothing was stored, with the code `UNCHECKED` if the token could not be checked.
    """
    space = Kind.space(kind, space)
    known = _require_place(person, kind, space)
    text = cleaned(kind, pasted)
    try:
        found = checks.check(kind, space, text)
    except errors.TokenRefused as refused:
        raise BadToken(_refusal(kind, refused)) from None
    except errors.InterfaceError as problem:
        raise BadToken(f"{NOT_CHECKED} {problem}", code=UNCHECKED) from None
    return _save(person, kind, space, text, replace(found, reach={**known, **found.reach}), action=action)


def store_from_sandbox(person: Person, space: str) -> StoredToken:
    """Fetch a project's key from the sandbox and store it. Raises as `store` does."""
    return store(person, Kind.STORAGE, space, _sandbox_key(person, space))


def check_again(token: StoredToken) -> StoredToken:
    """Check a stored token with the service and save the result, which may be a refusal.

    Raises other interface errors unchanged, and `TokenBroken` if the token can't be unsealed.
    """
    now = timezone.now()
    try:
        found = checks.check(token.kind, token.space, token.open())
    except errors.TokenRefused as refused:
        last_known.forget(token.fingerprint)
        return _update(token, refused_at=now, refusal=(refused.text or str(refused))[:300])
    known = {name: value for name, value in token.reach.items() if name == "project"}
    abilities.learn(token, found.answers)
    return _update(token, checked_at=now, last_used_at=now, reach={**known, **found.reach}, placement=found.placement)


def forget(person: Person, token: StoredToken) -> None:
    """Delete a stored token. It stays valid at the service until it is revoked there."""
    with record(
        person_id=person.pk,
        operation="token forgotten",
        place=token.space,
        target=f"{token.kind} token",
        token=token.fingerprint,
    ):
        _delete(token)
    _notify(person, token)


def forget_all(person: Person) -> None:
    """Delete all tokens of a person, as part of a larger change."""
    for token in all_of(person):
        _delete(token)
        _notify(person, token)


def own_token(person: Person, kind: str, place: str) -> StoredToken | None:
    """Return a person's own token for a project or space; None if there is none that can be unsealed."""
    token = person.stored_tokens.filter(kind=kind, space=Kind.space(kind, place)).select_related("person").first()
    return token if token and token.opens else None


def all_of(person: Person) -> list[StoredToken]:
    """Return the person's tokens: management first, then storage by space."""
    return list(person.stored_tokens.all())


def _delete(token: StoredToken) -> None:
    token.delete()
    last_known.forget_unheld(token.fingerprint)


def _sandbox_key(person: Person, ref: str) -> str:
    """Fetch a project's service key from the sandbox."""
    try:
        return str(sandbox.ask(sandbox.personal_token(person), "GET", "/_keys")["storage_tokens"][ref]["service"])
    except sandbox.SandboxError as refused:
        raise BadToken(f"The sandbox issued no token. {refused}") from None
    except (KeyError, TypeError):
        raise BadToken(f"The sandbox has no token for a project called {ref}.") from None


def _require_place(person: Person, kind: str, space: str) -> dict[str, str]:
    """Raise `BadToken` unless the place exists; return the project's name if M1 lists it."""
    if kind == Kind.MANAGEMENT:
        if not settings.MANAGEMENT_URL:
            raise BadToken("Management is not set up here.")
        return {}
    if kind != Kind.STORAGE or not spaces.can_be(space):
        raise BadToken("This storage does not exist here.")
    if spaces.mode() == "single" or not settings.MANAGEMENT_URL:
        return {}
    stored = StoredToken.objects.filter(person=person, kind=kind, space=space).first()
    if stored:
        return {"project": stored.reach["project"]} if "project" in stored.reach else {}
    workspace = Workspace(person)
    if not workspace.has(Kind.MANAGEMENT):
        raise BadToken("Store your management token first. It shows which projects you have.", code=UNCHECKED)
    try:
        names = {project.id: project.name for project in workspace.management.projects.all()}
    except errors.InterfaceError as problem:
        raise BadToken(f"The token was not stored because your projects could not be listed. {problem}", code=UNCHECKED) from None
    if space not in names:
        raise BadToken(f"Your management token shows no project called {space}.", code=UNCHECKED)
    return {"project": names[space]}


def _refusal(kind: str, refused: errors.TokenRefused) -> str:
    where = "The management interface" if kind == Kind.MANAGEMENT else "The storage service"
    words = f" It reported: “{refused.text}”." if refused.text else ""
    return f"{where} does not accept this token, so it was not stored.{words}"


def _save(person: Person, kind: str, space: str, text: str, found: checks.Found, *, action: str) -> StoredToken:
    now = timezone.now()
    old = person.stored_tokens.filter(kind=kind, space=space).first()
    token = StoredToken(person=person, kind=kind, space=space, last4=text[-4:], fingerprint=fingerprint(text), added_at=now)
    token.placement, token.reach, token.checked_at, token.last_used_at = found.placement, found.reach, now, now
    token.seal(text)
    operation = "token replaced" if old else "token stored"
    before = {"fingerprint": old.fingerprint[:SHOWN]} if old else None
    prepared = _prepared(old, token, text) if old else []
    with record(
        person_id=person.pk,
        operation=operation,
        place=space,
        target=f"{kind} token",
        before=before,
        token=token.fingerprint,
        action=action,
    ) as change:
        with transaction.atomic():
            StoredToken.objects.filter(person=person, kind=kind, space=space).delete()
            token.save(force_insert=True)
            if old:
                last_known.forget_unheld(old.fingerprint)
            abilities.learn(token, found.answers)
            for move in prepared:
                move()
        change.after = {"fingerprint": token.fingerprint[:SHOWN]}
    _notify(person, token)
    return token


def fingerprint(text: str) -> str:
    """Return what identifies a token without revealing it: 32 hex digits, equal for equal tokens of this installation only."""
    return digest("token fingerprint", text)[:FINGERPRINT_DIGITS]


def _prepared(old: StoredToken, token: StoredToken, text: str) -> list[Callable[[], None]]:
    """Call the functions of `on_succession`, unless a key is no service key or the old one is locked. Return their results."""
    if token.kind != Kind.STORAGE or old.fingerprint == token.fingerprint or not old.opens:
        return []
    if not (is_service_key(old.open()) and is_service_key(text)):
        return []
    storage = StorageInterface(
        spaces.address(token.space),
        Token(text),
        placement=Placement(token.placement),
        observer=call_observer(),
        gate=Waiting().gate,
    )
    return [prepare(storage, token.space, old.fingerprint, token.fingerprint) for prepare in _successions]


def _notify(person: Person, token: StoredToken) -> None:
    for listener in _listeners if token.kind == Kind.STORAGE else ():
        listener(person, token.space)


def _update(token: StoredToken, **values: Any) -> StoredToken:
    StoredToken.objects.filter(pk=token.pk, fingerprint=token.fingerprint).update(**values)
    token.refresh_from_db()
    return token
