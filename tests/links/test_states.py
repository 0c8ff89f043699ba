"""One state of a link: what its badge says is what the ledger's filter finds."""

from datetime import timedelta
from itertools import product
from uuid import uuid4

from django.utils import timezone

from dashboard.labels.services import ProjectLabel, set_label
from dashboard.links.models import Share, State
from dashboard.team.models import Person, Role
from dashboard.tokens.models import Grant, Kind, StoredToken
from dashboard.vault.seals import Sealed

HOUR = timedelta(hours=1)
NOW = timezone.now()
SPACE, MARKED = "ktmvqhzwrbnxpgaydcle", "pwgxlsnvjtaeoqkdhbfm"


def person(role: Role, **more: object) -> Person:
    made = Person.objects.create(email=f"{uuid4().hex}@example.org", role=role)
    Person.objects.filter(pk=made.pk).update(**more)
    return Person.objects.get(pk=made.pk)


def token_of(owner: Person, space: str = SPACE) -> StoredToken:
    token = StoredToken(person=owner, kind=Kind.STORAGE, space=space, last4="0000", fingerprint=uuid4().hex[:16])
    token.seal("a key")
    token.added_at = NOW - 3 * HOUR
    token.save()
    return token


def grants_to(owner: Person) -> list[Grant | None]:
    """No grant, one that works, and one for each reason why it doesn't."""
    giver, locked, gone, left = (
        person(Role.OWNER),
        person(Role.OWNER, locked_at=NOW),
        person(Role.OWNER),
        person(Role.OWNER, is_active=False),
    )
    kept = {(one.pk, space): token_of(one, space) for one in (giver, locked, left) for space in (SPACE, MARKED)}

    def give(by: Person, space: str = SPACE, **more: object) -> Grant:
        fingerprint = kept[by.pk, space].fingerprint if (by.pk, space) in kept else "forgotten"
        found = {"person": owner, "acts": ["read", "share"], "folders": [], "token": fingerprint, **more}
        return Grant.objects.create(giver=by, kind=Kind.STORAGE, space=space, place=space, made_at=NOW - 2 * HOUR, **found)

    return [
        None,
        give(giver),
        give(giver, person=None, role=Role.VIEWER),
        give(giver, person=None, role=Role.OWNER),
        give(giver, MARKED),
        give(giver, MARKED, person=None, role=Role.VIEWER),
        give(giver, revoked_at=NOW),
        give(giver, ends_at=NOW - HOUR),
        give(giver, token="another"),
        give(locked),
        give(gone),
        give(left),
    ]


def test_the_filter_finds_each_link_in_the_state_that_its_badge_shows(owner: Person) -> None:
    set_label(owner, MARKED, ProjectLabel(production=True), project="staging")
    owners = [
        person(Role.OPERATOR),
        person(Role.VIEWER),
        person(Role.OPERATOR, locked_at=NOW - HOUR, locked_by=owner),
        person(Role.OPERATOR, locked_at=NOW - HOUR),
        person(Role.OPERATOR, is_active=False),
    ]
    rows: list[dict[str, object]] = [
        {"revoked_at": NOW},
        {"ends_at": NOW - HOUR},
        {"limit": 1, "opened": 1},
        {"revoked_at": NOW, "ends_at": NOW - HOUR},
        {"gone_at": NOW},
        {"hidden_at": NOW},
        {"gone_at": NOW, "hidden_at": NOW},
        {"limit": 2, "opened": 1},
    ]
    for one in owners:
        token_of(one)
        for grant, row in product(grants_to(one), rows):
            share = Share(owner=one, grant=grant, space=SPACE, ends_at=NOW + HOUR, made_at=NOW - 2 * HOUR)
            for name, value in row.items():
                setattr(share, name, value)
            share.code_digest = uuid4().hex
            share.sealed_code = Sealed.seal("code", owner=one.pk, purpose=share.purpose)
            share.save()
    shown = {share.pk: share.shown_state for share in Share.objects.select_related("owner")}
    filtered = {state: set(Share.objects.in_state(state).values_list("pk", flat=True)) for state in State}
    assert len(shown) > 400
    assert set(shown.values()) == set(State)
    for state in State:
        assert filtered[state] == {pk for pk, badge in shown.items() if badge is state}, state
