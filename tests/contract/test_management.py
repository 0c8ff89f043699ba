"""M1 to M25 against a service."""

import re

import pytest

from dashboard.interfaces import ManagementInterface, errors
from dashboard.interfaces.management.functions import FunctionStatus
from dashboard.interfaces.management.network import RestrictionStatus
from tests.contract.conftest import Service, make_project, unique, wait_for

WRONG = "sbp_" + "0" * 40
NO_PROJECT = "zzzzzzzzzzzzzzzzzzzz"


def test_a_wrong_token_is_refused_everywhere(service: Service, ref: str) -> None:
    management = service.management(WRONG)
    for call in (
        management.projects.all,
        management.organizations.all,
        lambda: management.secrets.all(ref),
        lambda: management.functions.all(ref),
        lambda: management.hostname.get(ref),
        lambda: management.encryption.get(ref),
        lambda: management.network.bans(ref),
        lambda: management.secrets.create(ref, {"A": "b"}),
        lambda: management.organizations.create("x"),
    ):
        with pytest.raises(errors.TokenRefused):
            call()


def test_an_unknown_project_is_not_found_or_not_allowed(management: ManagementInterface) -> None:
    for call in (management.secrets.all, management.functions.all, management.network.bans, management.encryption.get):
        with pytest.raises((errors.NotFound, errors.NotAllowed)):
            call(NO_PROJECT)


def test_m1_lists_projects_with_their_references(management: ManagementInterface, ref: str) -> None:
    found = {project.ref: project for project in management.projects.all()}[ref]
    assert re.fullmatch("[a-z]{20}", found.ref)
    assert found.created_at is not None
    assert found.region


def test_m2_creates_a_project(service: Service, management: ManagementInterface) -> None:
    if not service.may_create:
        pytest.skip("creating a project may cost money: CONTRACT_MAY_CREATE=1 allows it")
    name = unique("project")
    made = make_project(management, name)
    assert (made.name, made.region) == (name, "eu-west-1")
    assert made.ref in {project.ref for project in management.projects.all()}


def test_m2_refuses_a_region_that_there_is_not(management: ManagementInterface) -> None:
    organization = management.organizations.all()[0]
    with pytest.raises(errors.Rejected) as caught:
        management.projects.create(
            "x",
            organization_id=organization.id,
            db_pass="a-long-password",
            region="moon-1",
            plan="free",
            organization_slug=organization.slug,
        )
    assert caught.value.text


def test_m2_knows_no_such_organization(management: ManagementInterface) -> None:
    with pytest.raises((errors.NotFound, errors.NotAllowed, errors.Rejected)):
        management.projects.create(
            "x", organization_id="nobodys-org", db_pass="a-long-password", region="eu-west-1", organization_slug="nobodys-org"
        )


def test_m3_lists_organizations(management: ManagementInterface) -> None:
    assert all(organization.id and organization.name for organization in management.organizations.all())


def test_m4_creates_an_organization(service: Service, management: ManagementInterface) -> None:
    if not service.may_create:
        pytest.skip("an organization can't be deleted again: CONTRACT_MAY_CREATE=1 allows to create one")
    name = unique("Organization")
    made = management.organizations.create(name)
    assert made.name == name
    assert made.id in {organization.id for organization in management.organizations.all()}


def test_m4_refuses_an_endless_name(management: ManagementInterface) -> None:
    with pytest.raises(errors.Rejected):
        management.organizations.create("n" * 300)


def test_m5_m6_m7_keep_secrets(management: ManagementInterface, ref: str) -> None:
    first, second = unique("FIRST").upper().replace("-", "_"), unique("SECOND").upper().replace("-", "_")
    management.secrets.create(ref, {first: "bar", second: "ü = \" ' \n $x"})
    listed = {secret.name: secret for secret in management.secrets.all(ref)}
    assert {first, second} <= set(listed)
    assert listed[first].value_is in ("SHA-256 digest", "MD5 digest", "value")
    if listed[first].value_is == "SHA-256 digest":
        assert listed[first].value == "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9"
    management.secrets.create(ref, {first: "other"})
    assert {secret.name: secret.value for secret in management.secrets.all(ref)}[first] != listed[first].value
    management.secrets.delete(ref, [first, second, "NEVER_THERE"])
    assert not {first, second} & {secret.name for secret in management.secrets.all(ref)}


def test_m6_sets_nothing_when_one_name_is_reserved(management: ManagementInterface, ref: str) -> None:
    good = unique("GOOD").upper().replace("-", "_")
    with pytest.raises(errors.Rejected, match="M6") as caught:
        management.secrets.create(ref, {good: "1", "SUPABASE_MINE": "2"})
    assert "SUPABASE_" in caught.value.text
    assert good not in {secret.name for secret in management.secrets.all(ref)}


def test_m8_generates_types(management: ManagementInterface, ref: str) -> None:
    text = management.types.generate(ref)
    assert "Json" in text
    assert "public:" in text
    assert "auth:" in management.types.generate(ref, ["public", "auth"])


def test_m9_to_m14_deploy_change_and_delete_a_function(management: ManagementInterface, ref: str) -> None:
    slug = unique("fn")
    made = management.functions.create(
        ref, slug=slug, name="First name", body="Deno.serve(() => new Response('ü'))", verify_jwt=False
    )
    assert (made.slug, made.name, made.status, made.verify_jwt) == (slug, "First name", FunctionStatus.ACTIVE, False)
    assert made.created is not None
    assert slug in {function.slug for function in management.functions.all(ref)}
    assert management.functions.get(ref, slug).id == made.id
    changed = management.functions.update(ref, slug, name="Second name", verify_jwt=True)
    assert (changed.name, changed.verify_jwt) == ("Second name", True)
    assert "Response" in management.functions.body(ref, slug).data.decode()
    unpacked = management.functions.sources(ref, slug)
    assert "Response" in (unpacked.files[0] if unpacked.files else unpacked).data.decode()
    newer = management.functions.update(ref, slug, body="Deno.serve(() => new Response('2'))", verify_jwt=True)
    assert newer.version > made.version
    management.functions.delete(ref, slug)
    for call in (management.functions.get, management.functions.delete):
        with pytest.raises(errors.NotFound):
            call(ref, slug)


def test_m9_and_m12_take_bundles(management: ManagementInterface, ref: str) -> None:
    slug, bundle = unique("bundle"), b"ESZIP_V2" + bytes(range(256)) * 40
    made = management.functions.create_bundle(
        ref, slug=slug, name="A bundle & more", bundle=bundle, verify_jwt=False, import_map=True
    )
    assert (made.name, made.verify_jwt, made.import_map) == ("A bundle & more", False, True)
    assert management.functions.body(ref, slug).data == bundle
    changed = management.functions.update_bundle(ref, slug, bundle=bundle[::-1][:-8] + b"changed!", verify_jwt=True)
    assert changed.verify_jwt is True
    assert management.functions.body(ref, slug).data.endswith(b"changed!")
    management.functions.delete(ref, slug)


def test_m9_refuses_a_slug_that_is_taken_or_wrong(management: ManagementInterface, ref: str) -> None:
    slug = unique("twice")
    management.functions.create(ref, slug=slug, name="n", body="1")
    with pytest.raises((errors.Conflict, errors.Rejected)):
        management.functions.create(ref, slug=slug, name="n", body="1")
    with pytest.raises(errors.Rejected):
        management.functions.create(ref, slug="no spaces!", name="n", body="1")
    management.functions.delete(ref, slug)


def test_m12_and_m14_know_no_such_function(management: ManagementInterface, ref: str) -> None:
    with pytest.raises(errors.NotFound):
        management.functions.update(ref, "never-there", name="x")
    with pytest.raises(errors.NotFound):
        management.functions.body(ref, "never-there")


def test_m15_to_m19_step_through_a_hostname(management: ManagementInterface, ref: str) -> None:
    with pytest.raises(errors.NotFound):
        management.hostname.get(ref)
    with pytest.raises(errors.NotFound):
        management.hostname.delete(ref)
    with pytest.raises(errors.Conflict):
        management.hostname.reverify(ref)
    with pytest.raises(errors.Conflict):
        management.hostname.activate(ref)
    host = f"{unique('api')}.contract.example"
    made = management.hostname.initialize(ref, custom_hostname=host)
    try:
        assert (made.custom_hostname, made.status.step) == (host, 2)
        assert made.origin_server
        assert made.ownership_record is not None
        assert host in made.ownership_record.name
        with pytest.raises(errors.Conflict):
            management.hostname.initialize(ref, custom_hostname=host)
        assert management.hostname.get(ref).custom_hostname == host
        checked = management.hostname.reverify(ref)
        assert checked.status.step in (2, 3)
        assert checked.certificate_records, "nothing was published, so it still waits for something"
        with pytest.raises(errors.Conflict):
            management.hostname.activate(ref)
    finally:
        management.hostname.delete(ref)
    with pytest.raises(errors.NotFound):
        management.hostname.get(ref)


def test_m17_refuses_what_is_no_hostname(management: ManagementInterface, ref: str) -> None:
    with pytest.raises(errors.Rejected):
        management.hostname.initialize(ref, custom_hostname="")


def test_m20_m21_read_and_replace_the_root_key(management: ManagementInterface, ref: str) -> None:
    old = management.encryption.get(ref).root_key
    assert re.fullmatch("[0-9a-f]{64}", old)
    assert management.encryption.update(ref, root_key="AB" * 32).root_key == "ab" * 32
    assert management.encryption.get(ref).root_key == "ab" * 32
    assert management.encryption.update(ref, root_key=old).root_key == old
    with pytest.raises(errors.Rejected):
        management.encryption.update(ref, root_key="too short")


def test_m22_m23_read_and_lift_bans(management: ManagementInterface, ref: str) -> None:
    banned = management.network.bans(ref).banned_ipv4_addresses
    management.network.unban(ref, [*banned, "203.0.113.77"])
    assert management.network.bans(ref).banned_ipv4_addresses == []


def test_m24_m25_replace_the_restrictions(management: ManagementInterface, ref: str) -> None:
    before = management.network.restrictions(ref)
    v6 = before.config.allowed_v6
    management.network.apply(
        ref, allowed=["203.0.113.0/24", "198.51.100.7/32"], allowed_v6=None if v6 is None else ["2001:db8::/48"]
    )

    def is_applied() -> bool:
        return management.network.restrictions(ref).status is RestrictionStatus.APPLIED

    wait_for(is_applied, seconds=30)
    after = management.network.restrictions(ref)
    assert sorted(after.config.allowed) == ["198.51.100.7/32", "203.0.113.0/24"]
    management.network.apply(ref, allowed=before.config.allowed, allowed_v6=v6)
    with pytest.raises(errors.Rejected):
        management.network.apply(ref, allowed=["no network"])
