"""Store a token, check it again, forget it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dashboard.interfaces import Token, errors
from dashboard.journal.recorder import record
from dashboard.team.models import Person
from dashboard.tokens import checks, last_known, locks, sandbox, spaces
from dashboard.tokens.fingerprint import SHOWN, fingerprint
from dashboard.tokens.formats import BadToken, cleaned
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace

NOT_CHECKED = "The service could not be asked whether it accepts this token, so it was not stored. Try again in a moment."

_listeners: list[Callable[[Person, str], None]] = []


def on_change(listener: Callable[[Person, str], None]) -> None:
    """Call this with the person and the space whenever a storage token was stored or forgotten."""
    _listeners.append(listener)


def store(person: Person, kind: str, space: str, pasted: str) -> StoredToken:
    """Check a token with the service (M3 and M1, or S2) and store it, in place of the one that was there.

    `space` is empty for the management token. Raises `BadToken` with a sentence for whatever is wrong; nothing is stored then.
    """
    space = "" if kind == Kind.MANAGEMENT else space
    known = _require_place(person, kind, space)
    text = cleaned(kind, pasted)
    try:
        found = checks.check(kind, space, text)
    except errors.TokenRefused as refused:
        raise BadToken(_refusal(kind, refused)) from None
    except errors.InterfaceError as problem:
        raise BadToken(f"{NOT_CHECKED} {problem}") from None
    return _save(person, kind, space, text, replace(found, reach={**known, **found.reach}))


def store_from_sandbox(person: Person, space: str) -> StoredToken:
    """Fetch a project's key from the embedded sandbox with the person's management token, and store it. Raises as `store`."""
    mine = person.stored_tokens.filter(kind=Kind.MANAGEMENT).first()
    if mine is None:
        raise BadToken("Store your management token first: the sandbox gives keys only for it.")
    return store(person, Kind.STORAGE, space, sandbox.storage_key(Token(mine.open()), space))


def check_again(token: StoredToken) -> StoredToken:
    """Ask the service about a stored token and write down what it says; being refused is one of the answers.

    Raises the other interface errors unchanged, and `TokenBroken` when the token does not open.
    """
    now = timezone.now()
    try:
        found = checks.check(token.kind, token.space, token.open())
    except errors.TokenRefused as refused:
        return _update(token, refused_at=now, refusal=(refused.text or str(refused))[:300])
    known = {name: value for name, value in token.reach.items() if name == "project"}
    return _update(token, checked_at=now, last_used_at=now, reach={**known, **found.reach}, placement=found.placement)


def forget(person: Person, token: StoredToken) -> None:
    """Delete a stored token. The service does not learn of it: there it stays valid until it is revoked."""
    with record(
        person_id=person.pk,
        operation="token forgotten",
        place=token.space,
        target=spaces.token_name(token.kind, token.space),
        token=token.fingerprint,
    ):
        token.delete()
        last_known.forget_unheld(token.fingerprint)
    _tell(person, token)


def all_of(person: Person) -> list[StoredToken]:
    """The person's tokens: management first, then storage by space."""
    return list(person.stored_tokens.all())


def _require_place(person: Person, kind: str, space: str) -> dict[str, str]:
    """What is known of the place beforehand: the name of the project, where M1 tells it."""
    if kind == Kind.MANAGEMENT:
        if not settings.MANAGEMENT_URL:
            raise BadToken("There is no management interface here.")
        return {}
    if kind != Kind.STORAGE or not spaces.can_be(space):
        raise BadToken("There is no such storage here.")
    if spaces.mode() == "single" or not settings.MANAGEMENT_URL:
        return {}
    stored = StoredToken.objects.filter(person=person, kind=kind, space=space).first()
    if stored:
        return {"project": stored.reach["project"]} if "project" in stored.reach else {}
    workspace = Workspace(person)
    if not workspace.has(Kind.MANAGEMENT):
        raise BadToken("Store your management token first: it shows which projects you have.")
    try:
        names = {project.id: project.name for project in workspace.management.projects.all()}
    except errors.InterfaceError as problem:
        raise BadToken(f"Your projects could not be listed, so the token was not stored. {problem}") from None
    if space not in names:
        raise BadToken(f"Your management token shows no project called {space}.")
    return {"project": names[space]}


def _refusal(kind: str, refused: errors.TokenRefused) -> str:
    where = "The management interface" if kind == Kind.MANAGEMENT else "The storage of this project"
    words = f" It said: “{refused.text}”." if refused.text else ""
    return f"{where} does not accept this token, so it was not stored.{words}"


def _save(person: Person, kind: str, space: str, text: str, found: checks.Found) -> StoredToken:
    now = timezone.now()
    old = person.stored_tokens.filter(kind=kind, space=space).first()
    token = StoredToken(person=person, kind=kind, space=space, last4=text[-4:], fingerprint=fingerprint(text), added_at=now)
    token.placement, token.reach, token.checked_at, token.last_used_at = found.placement, found.reach, now, now
    token.seal(text)
    operation = "token replaced" if old else "token stored"
    before = {"fingerprint": old.fingerprint[:SHOWN]} if old else None
    with record(
        person_id=person.pk,
        operation=operation,
        place=space,
        target=spaces.token_name(kind, space),
        before=before,
        token=token.fingerprint,
    ) as change:
        with transaction.atomic():
            StoredToken.objects.filter(person=person, kind=kind, space=space).delete()
            token.save(force_insert=True)
            if old:
                last_known.forget_unheld(old.fingerprint)
        change.after = {"fingerprint": token.fingerprint[:SHOWN]}
    if old and old.is_locked and old.fingerprint == token.fingerprint:
        locks.unlock_by_token(person, token)
    _tell(person, token)
    return token


def _tell(person: Person, token: StoredToken) -> None:
    for listener in _listeners if token.kind == Kind.STORAGE else ():
        listener(person, token.space)


def _update(token: StoredToken, **values: Any) -> StoredToken:
    StoredToken.objects.filter(pk=token.pk, fingerprint=token.fingerprint).update(**values)
    token.refresh_from_db()
    return token
