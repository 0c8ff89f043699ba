"""Members of the team, their roles, and their one-time links."""

from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from dashboard.journal.recorder import record
from dashboard.team import hooks, mail, providers
from dashboard.team.links import make_link
from dashboard.team.models import Person, Role
from dashboard.team.rights import allows

LAST_OWNER = "This is the last active owner. Make somebody else an owner first."


@dataclass(frozen=True, slots=True)
class Row:
    """A person of the team."""

    id: int
    name: str
    email: str
    role: str
    is_active: bool
    is_self: bool
    can_sign_in: bool
    last_login: datetime | None


def first_owner(email: str) -> Person:
    """Return the first active owner; create one with this address if there is none."""
    owner = Person.objects.active_owners().order_by("pk").first()
    return owner or Person.objects.create(email=email, role=Role.OWNER)


def people(viewer: Person) -> list[Row]:
    """Return everybody, active people first, by the name that is shown."""
    everybody = Person.objects.order_by("pk")
    connected = set(providers.accounts().values_list("user_id", flat=True))
    rows = [
        Row(
            id=person.pk,
            name=name_for(viewer, person),
            email=person.email,
            role=Role(person.role).label,
            is_active=person.is_active,
            is_self=person.pk == viewer.pk,
            can_sign_in=person.has_usable_password() or person.pk in connected,
            last_login=person.last_login,
        )
        for person in everybody
    ]
    return sorted(rows, key=lambda row: (not row.is_active, row.name.casefold()))


def name_for(viewer: Person, person: Person) -> str:
    """Return a person's name as somebody sees it: of people without one, the address only where it is shown."""
    is_open = person.pk == viewer.pk or sees_accounts(viewer)
    return str(person) if is_open else person.name or f"Person {person.pk}"


def sees_accounts(viewer: Person) -> bool:
    """Whether somebody sees other people's addresses and last sign-ins."""
    return Role(viewer.role).rank >= Role.ADMINISTRATOR.rank


def add(by: Person, *, name: str, email: str, role: str, base_url: str) -> tuple[Person, str]:
    """Add a person; return the person and a link to set a password, which is also mailed.

    Raises `ValidationError` when the address is taken.
    """
    if Person.objects.filter(email__iexact=email).exists():
        raise ValidationError({"email": "Somebody on the team already has this address."})
    with record(person_id=by.pk, operation="person added", target=email) as change:
        person = Person.objects.create(name=name, email=email, role=role)
        change.after = {"name": name, "role": role}
    link = make_link(person, base_url, maker=by)
    mail.invite(person, link)
    return person, link


def new_link(by: Person, person: Person, *, base_url: str) -> str:
    """Create a link to set a password; earlier ones stop working. Raises `ValidationError` for a deactivated person."""
    if not person.is_active:
        raise ValidationError("This person is deactivated. Reactivate them first.")
    with record(person_id=by.pk, operation="link made", target=person.email):
        link = make_link(person, base_url, maker=by)
    mail.invite(person, link)
    return link


def whom_to_ask(person: Person) -> str:
    """Name other owners of the team, at most three, for somebody who lacks access; empty if there are none."""
    owners = Person.objects.active_owners().exclude(pk=person.pk)
    named = sorted(filter(None, owners.values_list("name", flat=True)), key=str.casefold)[:3]
    return " or ".join(named) or ("an owner of your team" if owners.exists() else "")


def asking_instead(person: Person) -> str:
    """Tell somebody who stores no token whom to ask; "" if there is nobody."""
    others = whom_to_ask(person)
    return f"Or ask {others} to give you access." if others else ""


def rename(person: Person, name: str) -> None:
    """Change a person's own name."""
    with record(person_id=person.pk, operation="name changed", target=person.email, before={"name": person.name}) as change:
        person.name = name
        person.save(update_fields=("name",))
        change.after = {"name": name}


def change_role(by: Person, person: Person, role: str) -> None:
    """Change a role. Raises `ValidationError` if no active owner would be left."""
    with record(person_id=by.pk, operation="role changed", target=person.email, before={"role": person.role}) as change:
        with transaction.atomic():
            person = _locked(person)
            if role != Role.OWNER:
                _require_another_owner(person)
            person.role = role
            person.save(update_fields=("role",))
        change.after = {"role": role}
    mail.tell(person, f"{by} changed your role to {Role(role).label}.")


def deactivate(by: Person, person: Person) -> None:
    """End a person's sessions and links and refuse their sign-in. Their tokens stay sealed.

    Raises `ValidationError` if no active owner would be left.
    """
    with record(person_id=by.pk, operation="person deactivated", target=person.email), transaction.atomic():
        person = _locked(person)
        _require_another_owner(person)
        Person.objects.filter(pk=person.pk).update(
            is_active=False, session_serial=F("session_serial") + 1, link_serial=F("link_serial") + 1
        )
    mail.tell(person, f"{by} deactivated your account.")


def reactivate(by: Person, person: Person) -> None:
    with record(person_id=by.pk, operation="person reactivated", target=person.email):
        Person.objects.filter(pk=person.pk).update(is_active=True)
    mail.tell(person, f"{by} reactivated your account.")


def returning(by: Person, person: Person) -> list[str]:
    """Return sentences about what works again when this person is reactivated."""
    return [sentence for say in hooks.on_reactivation for sentence in say(by, person)]


def possessions_of(person: Person) -> list[str]:
    """Return what others can take over from the person, such as "2 share links"."""
    return [each.counted(count) for each in hooks.possessions if (count := each.of(person).count())]


def hand_over(by: Person, person: Person, receiver: Person) -> tuple[list[str], list[str]]:
    """Transfer a person's possessions to somebody whose own role and tokens can serve them.

    Returns what was handed over and what stays. Raises `ValidationError` if nothing could be.
    """
    moved, left = [], []
    with record(person_id=by.pk, operation="handed over", target=person.email) as change:
        with transaction.atomic():
            for each in hooks.possessions:
                all_of_it = each.of(person).count()
                may_have = all_of_it and allows(receiver.role, *each.rights)
                if count := each.hand_over(person, receiver) if may_have else 0:
                    moved.append(each.counted(count))
                if all_of_it > count:
                    left.append(each.counted(all_of_it - count))
        if not moved:
            raise ValidationError({"receiver": f"Nothing was handed over: {receiver}'s role or tokens serve none of it."})
        change.after = {"to": receiver.email, "handed over": moved, "left": left}
    mail.tell(receiver, f"{by} handed over to you what {person} had: {', '.join(moved)}.")
    return moved, left


def sign_out_everywhere(person: Person) -> None:
    """End every session of the person, including the current one."""
    with record(person_id=person.pk, operation="signed out everywhere", target=person.email):
        Person.objects.filter(pk=person.pk).update(session_serial=F("session_serial") + 1)


def _locked(person: Person) -> Person:
    """Lock all owners and return the person as stored now, so that the last two owners can't leave at the same time."""
    list(Person.objects.active_owners().order_by("pk").select_for_update())
    return Person.objects.select_for_update().get(pk=person.pk)


def _require_another_owner(person: Person) -> None:
    others = Person.objects.active_owners().exclude(pk=person.pk)
    if person.is_owner and person.is_active and not others.exists():
        raise ValidationError(LAST_OWNER)
