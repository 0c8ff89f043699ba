"""What each operation needs of a grant: acts, a place, and nothing else. The expected rights are written by hand."""

from collections.abc import Iterable

import pytest

from dashboard.interfaces import errors
from dashboard.interfaces.operations import OPERATIONS
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.interfaces.transport import Ask
from dashboard.team.models import Person, Role
from dashboard.tokens.grants import Granted
from dashboard.tokens.guard import ScopeGuard
from dashboard.tokens.models import Grant
from tests.contract.document import ROWS

REF, BUCKET = "myprojectmyprojectmy", "photos"
# Lists of which only the part in scope is passed on.
FILTERED = {ident for ident, row in ROWS.items() if row["grant"] == "filtered"}
NEVER = {ident for ident, row in ROWS.items() if row["grant"] == "never"}
GRANTED = {ident: row["grant"] for ident, row in ROWS.items() if ident not in FILTERED | NEVER}
STORAGE = {ident: set(filter(None, grant.split(", "))) for ident, grant in GRANTED.items() if ident.startswith("S")}
PROJECT = {ident: grant.split(": ") for ident, grant in GRANTED.items() if ident.startswith("M")}
STORAGE_ACTS = {"read", "share", "upload", "change", "delete", "buckets", "sign"}
PROJECT_ACTS = {"read", "change", "functions", "values"}
SECTIONS = {"secrets", "functions", "hostname", "network", "types"}


def guard(kind: str, acts: Iterable[str], **scope: object) -> ScopeGuard:
    giver = Person(pk=1, email="owner@example.org", role=Role.OWNER)
    grant = Grant(pk=1, giver=giver, kind=kind, space=REF if kind == "storage" else "", place=REF, acts=list(acts), **scope)
    return ScopeGuard(Granted(grant, None, "", Person(pk=2, email="ada@example.org")))


def call(operation: str, bucket: str, key: str) -> Ask:
    """A call that touches one object, or one bucket."""
    bodies = {
        "S1": {"name": bucket},
        "S8": {"prefixes": [key]},
        "S11": {"bucketId": bucket, "sourceKey": key, "destinationKey": f"{key}.moved"},
        "S12": {"bucketId": bucket, "sourceKey": key, "destinationKey": f"{key}.copy"},
        "S13": {"prefix": key.rpartition("/")[0] + "/", "search": "", "limit": 1, "offset": 0},
        "S14": {"expiresIn": 60},
        "S15": {"expiresIn": 60, "paths": [key]},
    }
    names = {"bucketId": bucket, "bucketName": bucket, "wildcard": key}
    return Ask(operation, names, json=bodies.get(operation), path=f"/object/sign/{bucket}/{key}" if operation == "S16" else None)


def test_every_operation_is_here() -> None:
    assert ROWS.keys() == OPERATIONS.keys()
    assert {"M1", "M3", "S2"} == FILTERED


@pytest.mark.parametrize("operation", STORAGE)
def test_an_object_needs_exactly_these_acts(operation: str) -> None:
    needed, asked = STORAGE[operation], call(operation, BUCKET, "own/a.txt")
    guard("storage", needed).check(asked)
    for act in needed:
        with pytest.raises(errors.NotAllowed):
            guard("storage", STORAGE_ACTS - {act}).check(asked)


@pytest.mark.parametrize("operation", STORAGE.keys() - {"S1", "S4"})
def test_no_object_beside_the_folder_is_reached(operation: str) -> None:
    lent = guard("storage", STORAGE_ACTS, folders=[f"{BUCKET}/own/"])
    for bucket, key in ((BUCKET, "beside/a.txt"), (BUCKET, "Own/a.txt"), ("others", "own/a.txt")):
        with pytest.raises((errors.NotFound, errors.NotAllowed)):
            lent.check(call(operation, bucket, key))


@pytest.mark.parametrize("operation", ["S1", "S4"])
def test_no_other_bucket_is_reached(operation: str) -> None:
    with pytest.raises((errors.NotFound, errors.NotAllowed)):
        guard("storage", STORAGE_ACTS, folders=[f"{BUCKET}/"]).check(call(operation, "others", ""))


@pytest.mark.parametrize("operation", ["S9", "S11", "S12"])
def test_replacing_needs_the_act_of_changing(operation: str) -> None:
    plain = call(operation, BUCKET, "own/a.txt")
    asked = Ask(operation, plain.names, json=plain.json, headers={"x-upsert": "TRUE"})
    guard("storage", STORAGE[operation] | {"change"}).check(asked)
    with pytest.raises(errors.NotAllowed):
        guard("storage", STORAGE_ACTS - {"change"}).check(asked)


def test_a_move_needs_both_places() -> None:
    lent = guard("storage", STORAGE_ACTS, folders=[f"{BUCKET}/own/"])
    body = {"bucketId": BUCKET, "sourceKey": "own/a.txt", "destinationKey": "own/a.txt"}
    for target in ({"destinationKey": "beside/a.txt"}, {"destinationBucket": "others"}, {"sourceKey": "beside/a.txt"}):
        with pytest.raises(errors.NotFound):
            lent.check(Ask("S11", json=body | target))


@pytest.mark.parametrize("operation", PROJECT)
def test_a_section_needs_this_act(operation: str) -> None:
    section, act = PROJECT[operation]
    guard("management", [act], sections=[section]).check(Ask(operation, {"ref": REF}))
    for lent in (
        guard("management", PROJECT_ACTS - {act}, sections=SECTIONS),
        guard("management", PROJECT_ACTS, sections=SECTIONS - {section}),
    ):
        with pytest.raises((errors.NotFound, errors.NotAllowed)):
            lent.check(Ask(operation, {"ref": REF}))


@pytest.mark.parametrize("operation", PROJECT)
def test_no_other_project_is_reached(operation: str) -> None:
    with pytest.raises(errors.NotFound):
        guard("management", PROJECT_ACTS, sections=SECTIONS).check(Ask(operation, {"ref": "otherprojectotherpro"}))


@pytest.mark.parametrize("operation", NEVER)
def test_no_grant_allows_these(operation: str) -> None:
    with pytest.raises(errors.NotFound):
        guard("management", PROJECT_ACTS, sections=SECTIONS).check(Ask(operation, {"ref": REF}))


def test_of_the_buckets_only_those_in_scope_are_shown() -> None:
    lent = guard("storage", ["read"], folders=[f"{BUCKET}/own/"])
    buckets = [Bucket(id=name, name=name) for name in (BUCKET, "others")]
    assert [bucket.id for bucket in lent.fetch(Ask("S2"), list[Bucket], lambda _ask, _shape: buckets)] == [BUCKET]
