"""Give, change, revoke and confirm access through one's own stored tokens; choose the credential for a place."""

from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils import timezone

from dashboard.catalog.walk import list_page
from dashboard.features.access.rules import in_words, is_within, place_in_words, receiver_of
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import InterfaceError, NotFound
from dashboard.journal.recorder import Change, record
from dashboard.labels.services import is_production
from dashboard.team.models import Person
from dashboard.tokens import names, spaces
from dashboard.tokens.credentials import own_token
from dashboard.tokens.grants import granted
from dashboard.tokens.models import ActiveGrant, Grant, Kind, StoredToken
from dashboard.tokens.project_names import learn_projects
from dashboard.tokens.scope import AMBIGUOUS, SECTIONS, Scope
from dashboard.tokens.workspace import Workspace

ANYWAY = "Give access all the same"
CHANGE_ANYWAY = "Change access all the same"
NO_TOKEN = "Only somebody who stores a token there can give access. Store your own token first."  # noqa: S105 - a message
NAME_MAX_LENGTH = 200
PRODUCTION = "This project is production: give access to named people only."


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What is allowed, and until when."""

    acts: tuple[str, ...]
    sections: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    ends_at: datetime | None = None
    note: str = ""

    def scope(self, kind: str, place: str) -> Scope:
        return Scope(kind, place, frozenset(self.acts), frozenset(self.sections), self.folders)


def places(giver: Person) -> list[tuple[str, str, str]]:
    """Return (kind, place, name) of what a person can give access to, from last known data: storages, then projects, by name."""
    own = Workspace(giver, grants=())
    learn_projects(own)
    stores = [space.name for space in own.known_spaces() if own_token(giver, Kind.STORAGE, space.name)]
    projects = [project for fingerprint in own.listing_fingerprints for project in names.known(fingerprint)]
    found = [(Kind.STORAGE.value, space, name_of(own, space)) for space in stores]
    found += [(Kind.MANAGEMENT.value, project.id, project.name) for project in projects]
    return sorted(found, key=lambda one: (one[0] == Kind.MANAGEMENT, one[2].casefold(), one[1]))


def name_of(own: Workspace, place: str) -> str:
    """Return a project's or space's name from last known data."""
    return own.known_name(place) or place


def title_of(kind: str, place: str, name: str) -> str:
    """Return the title of a project or space that access is given to."""
    return f"Storage of {name}" if kind == Kind.STORAGE and place != spaces.SHARED else name


def folders_in(own: Workspace, space: str, path: str) -> tuple[list[str], bool]:
    """Return the buckets of a storage (S2), or of `path`, "bucket/" or "bucket/folder/", the first folders in it (S13).

    They end in a slash. Also return whether there may be more. Leaves out what no grant can name.
    """
    storage = own.storage(space)
    if not path:
        return sorted(f"{bucket.id}/" for bucket in storage.buckets.all()), False
    bucket, _, folder = path.partition("/")
    page = list_page(storage, bucket, folder, every_folder=True)
    found = [f"{bucket}/{name}" for name in page.folders if AMBIGUOUS.isdisjoint(name.split("/")[:-1])]
    return found, page.next_offset is not None


def unseen(own: Workspace, space: str, folders: Iterable[str]) -> list[str]:
    """Return sentences about buckets and folders that the giver's token doesn't show (S4, S13), or can't at the moment."""
    found = []
    for folder in folders:
        storage = own.storage(space)
        bucket, _, path = folder.partition("/")
        try:
            storage.buckets.get(bucket)
            if path and not _is_there(storage, bucket, path):
                found.append(f"{folder} holds nothing.")
        except NotFound:
            found.append(f"There is no bucket {bucket}, or your token can't see it.")
        except InterfaceError as failure:
            found.append(f"{folder} could not be checked. {failure}")
    return list(dict.fromkeys(found))


def _is_there(storage: StorageInterface, bucket: str, folder: str) -> bool:
    """Whether a folder of exactly this spelling has content (S13, which ignores letter case)."""
    offset: int | None = 0
    while offset is not None:
        page = list_page(storage, bucket, folder, offset=offset, every_folder=True)
        if any(path.startswith(folder) for path in (*page.folders, *(entry.key for entry in page.entries))):
            return True
        offset = page.next_offset
    return False


def give(giver: Person, kind: str, place: str, terms: Terms, *, people: Collection[Person] = (), role: str = "") -> list[Grant]:
    """Give access to each of these people, or to everybody with at least a role. Raises `ValidationError`."""
    token = own_token(giver, kind, place)
    if token is None:
        raise ValidationError(NO_TOKEN)
    if role and is_production(place):
        raise ValidationError({"role": PRODUCTION})
    _refuse_second(giver, kind, place, people, role)
    receivers: list[Person | None] = [*people, *([None] if role else [])]
    action = f"grants-{uuid4().hex}" if len(receivers) > 1 else ""
    space, name = token.space, _name_for_others(token, place)
    made = [
        Grant(giver=giver, kind=kind, space=space, place=place, name=name, person=person, role="" if person else role)
        for person in receivers
    ]
    for grant in made:
        grant.acts, grant.sections, grant.folders = list(terms.acts), list(terms.sections), list(terms.folders)
        grant.ends_at, grant.note, grant.token = terms.ends_at, terms.note, token.fingerprint
        grant.changed_at = grant.made_at
        with recorded(giver, "access granted", grant, action=action) as entry:
            grant.save(force_insert=True)
            entry.after = _facts(grant)
    return made


def change(giver: Person, grant: Grant, terms: Terms) -> None:
    """Change what a grant allows. After a change of scope, no data cached before is shown."""
    is_new_scope = terms.scope(grant.kind, grant.place) != grant.scope
    is_news = is_new_scope or terms.ends_at != grant.ends_at
    with recorded(giver, "access changed", grant, before=_facts(grant)) as entry:
        grant.acts, grant.sections, grant.folders = list(terms.acts), list(terms.sections), list(terms.folders)
        grant.ends_at, grant.note = terms.ends_at, terms.note
        if is_new_scope:
            grant.version += 1
        if is_news:
            grant.changed_at = timezone.now()
        grant.save(update_fields=("acts", "sections", "folders", "ends_at", "note", "version", "changed_at"))
        entry.after = _facts(grant)


def is_wider(grant: Grant, terms: Terms) -> bool:
    """Whether terms allow anything that a grant doesn't allow now."""
    is_longer = grant.ends_at is not None and (terms.ends_at is None or terms.ends_at > grant.ends_at)
    return is_longer or not is_within(terms.scope(grant.kind, grant.place), grant.scope)


def revoke(by: Person, grant: Grant) -> None:
    """End a grant for good."""
    with recorded(by, "access revoked", grant, before=_facts(grant)):
        Grant.objects.filter(pk=grant.pk, revoked_at=None).update(revoked_at=timezone.now())


def unconfirmed(giver: Person) -> list[Grant]:
    """Return grants that are paused until the giver confirms them for the token stored now, latest first."""
    tokens = {(token.kind, token.space): token.fingerprint for token in giver.stored_tokens.all()}
    given = Grant.objects.filter(lasting(), giver=giver).select_related("giver", "person")
    return [grant for grant in given if tokens.get((grant.kind, grant.space), grant.token) != grant.token]


def confirm(giver: Person, grants: Iterable[Grant]) -> None:
    """Let grants use the token that the giver stores now."""
    found = list(grants)
    action = f"grants-{uuid4().hex}" if len(found) > 1 else ""
    for grant in found:
        token = own_token(giver, grant.kind, grant.place)
        if token is None:
            raise ValidationError(NO_TOKEN)
        with recorded(giver, "access confirmed", grant, action=action):
            grant.token = token.fingerprint
            grant.name = _name_for_others(token, grant.place)
            grant.save(update_fields=("token", "name"))


def choose(person: Person, kind: str, place: str, grant_id: int | None) -> None:
    """Use a grant at a place, or (None) the person's own token. Raises `ValidationError`."""
    if grant_id is not None:
        found = granted(person, grant_id)
        if found is None or found.reason or (found.kind, found.grant.place) != (kind, place):
            raise ValidationError(found.reason if found and found.reason else "You don't have this access.")
    ActiveGrant.objects.update_or_create(person=person, kind=kind, place=place, defaults={"grant_id": grant_id})


def _name_for_others(token: StoredToken, place: str) -> str:
    """Return a place's name for those who receive access: from last known data, else as of when the token was stored."""
    own = Workspace(token.person, grants=())
    learn_projects(own)
    known = own.known_name(place)
    return str(known if known not in ("", place) else token.reach.get("project", ""))[:NAME_MAX_LENGTH]


def _refuse_second(giver: Person, kind: str, place: str, people: Collection[Person], role: str) -> None:
    """Raise `ValidationError` for a second grant from one giver at a place: only one of them would work at a time."""
    given = Grant.objects.filter(lasting(), giver=giver, kind=kind, place=place)
    for person in people:
        if given.filter(person=person).exists():
            raise ValidationError({"people": f"{person} already has access here through your token. Change that access instead."})
    if role and given.filter(role=role).exists():
        raise ValidationError({"role": "This role already has access here through your token. Change that access instead."})


def lasting() -> Q:
    """Match grants that are neither revoked nor expired."""
    return Q(revoked_at=None) & (Q(ends_at=None) | Q(ends_at__gt=timezone.now()))


def recorded(by: Person, operation: str, grant: Grant, *, before: Any = None, action: str = "") -> AbstractContextManager[Change]:
    """Journal a change of a grant made in the block."""
    return record(
        person_id=by.pk,
        operation=operation,
        target=f"{in_words(grant.scope)} · {place_in_words(grant.scope)} · {receiver_of(grant)}",
        place=grant.place,
        before=before,
        token=grant.token,
        action=action,
    )


def _facts(grant: Grant) -> dict[str, Any]:
    facts = {
        "allowed": in_words(grant.scope),
        "sections": [label for key, label in SECTIONS.items() if key in grant.sections],
        "folders": grant.folders,
        "until": grant.ends_at,
        "note": grant.note,
    }
    return {name: value for name, value in facts.items() if value}
