"""One state of a link: what its badge says is what the ledger's filter finds."""

from datetime import timedelta
from itertools import product
from uuid import uuid4

import pytest
from django.utils import timezone

from dashboard.features.file_requests.models import FileRequest
from dashboard.features.file_requests.services import requests
from dashboard.labels.services import ProjectLabel, set_label
from dashboard.links.models import CodedLink, CodedLinks, Share
from dashboard.links.states import State
from dashboard.team.models import Person, Role
from dashboard.tokens.grants import fingerprint_of
from dashboard.tokens.models import Grant, Kind, StoredToken
from dashboard.vault.seals import Sealed
from dashboard.web.input.expiry import NO_END

HOUR = timedelta(hours=1)
NOW = timezone.now()
SPACE, MARKED = "ktmvqhzwrbnxpgaydcle", "pwgxlsnvjtaeoqkdhbfm"


def person(role: Role, **more: object) -> Person:
    made = Person.objects.create(email=f"{uuid4().hex}@example.org", role=role)
    Person.objects.filter(pk=made.pk).update(**more)
    return Person.objects.get(pk=made.pk)


def token_of(owner: Person, space: str = SPACE, kind: Kind = Kind.STORAGE) -> StoredToken:
    token = StoredToken(person=owner, kind=kind, space=space, last4="0000", fingerprint=uuid4().hex[:16])
    token.seal("a key")
    token.added_at = NOW - 3 * HOUR
    token.save()
    return token


def grants_to(owner: Person, kind: Kind = Kind.STORAGE) -> list[Grant | None]:
    """No grant, one that works, and one for each reason why it doesn't."""
    giver, locked, gone, left = (
        person(Role.OWNER),
        person(Role.OWNER, locked_at=NOW),
        person(Role.OWNER),
        person(Role.OWNER, is_active=False),
    )
    spaces = {place: Kind.space(kind, place) for place in (SPACE, MARKED)}
    kept = {(one.pk, space): token_of(one, space, kind) for one in (giver, locked, left) for space in set(spaces.values())}

    def give(by: Person, place: str = SPACE, **more: object) -> Grant:
        space = spaces[place]
        fingerprint = kept[by.pk, space].fingerprint if (by.pk, space) in kept else "forgotten"
        found = {"person": owner, "acts": ["read", "share"], "folders": [], "token": fingerprint, **more}
        return Grant.objects.create(giver=by, kind=kind, space=space, place=place, made_at=NOW - 2 * HOUR, **found)

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


def owners_of(locker: Person) -> list[Person]:
    """One who may give links, and one for each reason why not."""
    return [
        person(Role.OPERATOR),
        person(Role.VIEWER),
        person(Role.OPERATOR, locked_at=NOW - HOUR, locked_by=locker),
        person(Role.OPERATOR, locked_at=NOW - HOUR),
        person(Role.OPERATOR, is_active=False),
    ]


def store(link: CodedLink, fields: dict[str, object]) -> None:
    for name, value in fields.items():
        setattr(link, name, value)
    link.code_digest = uuid4().hex
    link.sealed_code = Sealed.seal("code", owner=link.owner_id, purpose=link.purpose)
    link.save()


def require_one_state(found: CodedLinks[Share] | CodedLinks[FileRequest]) -> set[State]:
    """The badge, the filter and what is current say the same of every row. Returns the states that occur."""
    shown = {link.pk: link.state for link in found.select_related("owner")}
    assert len(shown) > 200
    for state in State:
        assert set(found.in_state(state).values_list("pk", flat=True)) == {pk for pk, badge in shown.items() if badge is state}, (
            state
        )
    current = {pk for pk, badge in shown.items() if badge not in found.model.OVER}
    assert set(found.current().values_list("pk", flat=True)) == current
    assert {link.pk for link in found if link.is_current} == current
    assert set(found.in_state(State.GONE, State.LIVE).values_list("pk", flat=True)) == {
        pk for pk, badge in shown.items() if badge in {State.GONE, State.LIVE}
    }
    return set(shown.values())


@pytest.mark.parametrize("kind", Share.Kind)
def test_the_filter_finds_each_share_link_in_the_state_that_its_badge_shows(owner: Person, kind: str) -> None:
    set_label(owner, MARKED, ProjectLabel(production=True), project="staging")
    rows: list[dict[str, object]] = [
        {"revoked_at": NOW},
        {"ends_at": NOW - HOUR},
        {"limit": 1, "opened": 1},
        {"revoked_at": NOW, "ends_at": NOW - HOUR},
        {"gone_at": NOW},
        {"hidden_at": NOW},
        {"gone_at": NOW, "hidden_at": NOW},
        {"limit": 2, "opened": 1},
        {"ends_at": NO_END},
    ]
    interface = Kind.STORAGE if kind == Share.Kind.OBJECTS else Kind.MANAGEMENT
    for one in owners_of(owner):
        token_of(one)
        for grant, row in product(grants_to(one, interface), rows):
            share = Share(owner=one, grant=grant, space=SPACE, kind=kind, ends_at=NOW + HOUR, made_at=NOW - 2 * HOUR)
            store(share, row)
    assert require_one_state(Share.objects.all()) == set(State)


def test_the_filter_finds_each_file_request_in_the_state_that_its_badge_shows(owner: Person) -> None:
    set_label(owner, MARKED, ProjectLabel(production=True), project="staging")
    rows: list[dict[str, object]] = [
        {},
        {"revoked_at": NOW},
        {"ends_at": NOW - HOUR},
        {"files": 3},
        {"bytes": 10},
        {"files": 2, "bytes": 9},
        {"token": "another"},
        {"files": 3, "token": "another"},
        {"space": MARKED},
    ]
    limits = {"most_bytes": 10, "most_files": 3, "most_total": 10}
    for one in owners_of(owner):
        own = token_of(one).fingerprint
        for grant, row in product(grants_to(one), rows):
            token = fingerprint_of(grant) if grant else own
            asked = FileRequest(owner=one, grant=grant, space=SPACE, token=token, ends_at=NOW + HOUR, title="Photos", **limits)
            store(asked, row)
    assert require_one_state(FileRequest.objects.all()) == set(State) - {State.GONE}
    listed = {row.asked.pk: row for row in requests.rows(owner, requests.visible(owner))}
    assert {pk: row.state for pk, row in listed.items()} == {asked.pk: asked.state for asked in FileRequest.objects.all()}
    assert {pk for pk, row in listed.items() if row.is_current} == set(FileRequest.objects.current().values_list("pk", flat=True))
