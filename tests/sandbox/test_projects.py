"""M1 … M8 and M20, M21: organizations, projects, secrets, types, the root key."""

import hashlib
import json
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.sandbox.conftest import CAMPAIGN, NEWSLETTER, PORTFOLIO, ROUTES, STAGING, TRACKING, Caller, message

NEW = {"name": "atlas", "organization_id": "quiet-harbour-heron", "db_pass": "p", "region": "eu-west-1", "plan": "free"}


def test_projects_show_every_state_and_each_names_its_database(owner: Caller) -> None:
    answer = owner("GET", "/v1/projects")
    projects = {project["id"]: project for project in answer.json()}
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
    assert projects[TRACKING] == {
        "id": TRACKING,
        "ref": TRACKING,
        "organization_id": "quiet-harbour-heron",
        "organization_slug": "quiet-harbour-heron",
        "name": "parcel-tracking",
        "region": "eu-central-1",
        "status": "ACTIVE_HEALTHY",
        "created_at": "2023-03-14T08:12:41Z",
        "database": {
            "host": f"db.{TRACKING}.supabase.co",
            "version": "17.6.1.084",
            "postgres_engine": "17",
            "release_channel": "ga",
        },
    }
    assert projects[ROUTES]["status"] == "INACTIVE"
    assert all({"host", "version", "postgres_engine", "release_channel"} == set(one["database"]) for one in projects.values())
    assert {"ACTIVE_HEALTHY", "ACTIVE_UNHEALTHY", "INACTIVE", "COMING_UP", "REMOVED"} <= {
        one["status"] for one in projects.values()
    }


def test_a_new_project_is_unknown_then_coming_up_then_healthy(tmp_path: Path) -> None:
    sandbox = start_sandbox(tmp_path, "--empty", "--delay", "4")
    try:
        caller = Caller(sandbox, sandbox.personal_token)
        answer = caller("POST", "/v1/projects", json=NEW | {"organization_id": "first-organization"})
        assert answer.status_code == 201
        assert (answer.json()["status"], "database" in answer.json()) == ("UNKNOWN", False)
        ref = answer.json()["id"]
        assert (len(ref), ref.isalpha(), ref.islower()) == (20, True, True)
        assert states(caller)[ref] == "COMING_UP"
        assert caller("GET", "/v1/projects").json()[0]["database"]["version"] == "17.6.1.084"
        assert caller.project("GET", ref, "/pgsodium").status_code == 400
        assert ref in caller("GET", "/_keys").json()["storage_tokens"]
        deadline = time.monotonic() + 30
        while states(caller)[ref] == "COMING_UP" and time.monotonic() < deadline:
            time.sleep(0.1)
        assert states(caller)[ref] == "ACTIVE_HEALTHY"
        assert caller.project("GET", ref, "/pgsodium").status_code == 200
        assert caller.project("GET", ref, "/secrets").json() == []
    finally:
        stop_sandbox(sandbox)


def states(caller: Caller) -> dict[str, str]:
    return {project["id"]: project["status"] for project in caller("GET", "/v1/projects").json()}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"name": None}, "name: Expected string, received null"),
        ({"name": ""}, "name: String must contain at least 1 character(s)"),
        ({"name": "x" * 257}, "name: String must contain at most 256 character(s)"),
        ({"plan": "team"}, "plan: Invalid enum value. Expected 'free' | 'pro', received 'team'"),
        ({"colour": "blue"}, "colour: Unrecognized key in object"),
        (
            {"organization_slug": "no such!"},
            "organization_slug: slug must contain only lowercase letters, numbers, underscores, and dashes",
        ),
        ({"organization_id": "not-mine"}, "organization_id: Organization not found"),
        ({"region": 7}, "region: Expected string, received number"),
    ],
)
def test_a_wrong_new_project_is_refused_with_the_field(owner: Caller, change: dict[str, object], text: str) -> None:
    assert message(owner("POST", "/v1/projects", json=NEW | change)) == (400, text)


def test_an_unknown_region_is_refused(owner: Caller) -> None:
    status, text = message(owner("POST", "/v1/projects", json=NEW | {"region": "moon-1"}))
    assert status == 400
    assert text.startswith("region: Invalid enum value.")


def test_the_newest_form_of_a_new_project_is_taken_too(owner: Caller) -> None:
    body = {
        "name": "atlas",
        "organization_slug": "studio-marlowe-k2vq8d",
        "db_pass": "p",
        "region_selection": {"type": "smartGroup", "code": "apac"},
    }
    answer = owner("POST", "/v1/projects", json=body)
    assert (answer.status_code, answer.json()["region"]) == (201, "ap-southeast-1")


def test_organizations_are_listed_and_made(owner: Caller) -> None:
    made = owner("POST", "/v1/organizations", json={"name": "Night shift"})
    assert made.status_code == 201
    assert "X-RateLimit-Limit" not in made.headers
    assert made.json() in owner("GET", "/v1/organizations").json()
    assert message(owner("POST", "/v1/organizations", json={"name": "a", "plan": "b"})) == (
        400,
        "plan: Unrecognized key in object",
    )
    assert message(owner("POST", "/v1/organizations", json={})) == (400, "name: Required")


@pytest.mark.parametrize(
    "headers", [{"Authorization": ""}, {"Authorization": "Bearer sbp_" + "0" * 40}, {"Authorization": "Basic eDp5"}]
)
def test_without_a_right_token_it_is_unauthorized(owner: Caller, headers: dict[str, str]) -> None:
    for path in ("/v1/projects", f"/v1/projects/{TRACKING}/secrets", "/_keys"):
        assert message(owner("GET", path, headers=headers)) == (401, "Unauthorized")


def test_projects_of_others_removed_ones_and_unknown_ones_differ(owner: Caller, reader: Caller) -> None:
    forbidden = "Your account does not have the necessary privileges to access this endpoint."
    assert message(reader.project("GET", PORTFOLIO, "/secrets")) == (403, forbidden)
    assert message(reader.project("POST", TRACKING, "/secrets", json=[])) == (403, forbidden)
    assert reader.project("POST", TRACKING, "/network-bans/retrieve").status_code == 201
    assert reader.project("GET", TRACKING, "/secrets").status_code == 200
    assert message(owner.project("GET", CAMPAIGN, "/secrets")) == (400, "Resource has been removed")
    assert message(owner.project("GET", "a" * 20, "/secrets")) == (404, "Project not found")


def test_secrets_come_back_as_digests_only(owner: Caller) -> None:
    ref = owner.new_project()
    answer = owner.project("POST", ref, "/secrets", json=[{"name": "OPENAI_API_KEY", "value": "bar"}])
    assert (answer.status_code, answer.content, "Content-Type" in answer.headers) == (201, b"", False)
    (secret,) = owner.project("GET", ref, "/secrets").json()
    assert secret["value"] == "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9"
    owner.project("POST", ref, "/secrets", json=[{"name": "OPENAI_API_KEY", "value": "baz"}])
    (secret,) = owner.project("GET", ref, "/secrets").json()
    assert secret["value"] == hashlib.sha256(b"baz").hexdigest()


def test_one_reserved_name_fails_the_whole_request(owner: Caller) -> None:
    ref = owner.new_project()
    body = [{"name": "FINE", "value": "1"}, {"name": "SUPABASE_X", "value": "2"}]
    assert message(owner.project("POST", ref, "/secrets", json=body)) == (
        400,
        "1.name: Secret name must not start with the SUPABASE_ prefix.",
    )
    assert owner.project("GET", ref, "/secrets").json() == []
    assert owner.project("POST", ref, "/secrets", json=[{"name": "supabase_x", "value": "2"}]).status_code == 201


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"name": "A", "value": "b"}, "body: Expected array, received object"),
        ([{"name": "A"}], "0.value: Required"),
        ([{"name": "A", "value": 5}], "0.value: Expected string, received number"),
        ([{"name": "A" * 257, "value": ""}], "0.name: String must contain at most 256 character(s)"),
        ([{"name": "A", "value": "b" * 24577}], "0.value: String must contain at most 24576 character(s)"),
        (["A"], "0: Expected object, received string"),
    ],
)
def test_wrong_secrets_are_refused_with_the_field(owner: Caller, body: object, text: str) -> None:
    assert message(owner.project("POST", STAGING, "/secrets", json=body)) == (400, text)


def test_a_project_has_at_most_a_hundred_secrets(owner: Caller) -> None:
    ref = owner.new_project()
    body = [{"name": f"N{number}", "value": "v"} for number in range(100)]
    assert owner.project("POST", ref, "/secrets", json=body).status_code == 201
    assert owner.project("POST", ref, "/secrets", json=body[:3]).status_code == 201
    assert owner.project("POST", ref, "/secrets", json=[{"name": "ONE_MORE", "value": "v"}]).status_code == 400


def test_secrets_are_deleted_by_name_and_unknown_names_are_passed_over(owner: Caller) -> None:
    ref = owner.new_project()
    owner.project("POST", ref, "/secrets", json=[{"name": "A", "value": ""}, {"name": "B", "value": "x"}])
    answer = owner.project("DELETE", ref, "/secrets", json=["A", "NEVER"])
    assert (answer.status_code, answer.content) == (200, b"")
    assert [secret["name"] for secret in owner.project("GET", ref, "/secrets").json()] == ["B"]
    assert owner.project("DELETE", TRACKING, "/secrets", json=["SUPABASE_URL"]).status_code == 400


def test_types_hold_the_schemas_that_were_asked_for(owner: Caller) -> None:
    public = owner.project("GET", TRACKING, "/types/typescript").json()["types"]
    assert public.startswith("export type Json =")
    assert (
        "  public: {\n    Tables: {\n      depots: {\n        Row: {\n" in public
        or "      parcels: {\n        Row: {\n" in public
    )
    assert "auth: {" not in public
    both = owner.project("GET", TRACKING, "/types/typescript?included_schemas=auth,%20storage,nowhere").json()["types"]
    assert ("  auth: {" in both, "  storage: {" in both, "  public: {" in both) == (True, True, False)
    assert both.count("{") == both.count("}")


def test_types_of_a_paused_or_unready_project_are_refused(owner: Caller) -> None:
    assert owner.project("GET", ROUTES, "/types/typescript").status_code == 540
    assert owner.project("GET", NEWSLETTER, "/types/typescript").status_code == 400


def test_the_root_key_is_read_and_replaced(owner: Caller) -> None:
    ref = owner.new_project()
    assert len(bytes.fromhex(owner.project("GET", ref, "/pgsodium").json()["root_key"])) == 32
    assert owner.project("PUT", ref, "/pgsodium", json={"root_key": "ab" * 32}).json() == {"root_key": "ab" * 32}
    assert owner.project("GET", ref, "/pgsodium").json() == {"root_key": "ab" * 32}
    for wrong in ("", "ab" * 31, "zz" * 32):
        text = "Expected a 32 byte secret, hex-encoded (64 characters)."
        assert message(owner.project("PUT", ref, "/pgsodium", json={"root_key": wrong})) == (400, text)


def test_answers_announce_the_rate(owner: Caller) -> None:
    headers = owner("GET", "/v1/projects").headers
    assert headers["X-RateLimit-Limit"] == "120"
    assert 0 < int(headers["X-RateLimit-Reset"]) <= 60
    assert owner.project("POST", TRACKING, "/custom-hostname/reverify").status_code == 400


def test_above_the_rate_it_refuses_when_told_to(tmp_path: Path) -> None:
    sandbox = start_sandbox(tmp_path, "--empty", "--rate-limit")
    try:
        caller = Caller(sandbox, sandbox.personal_token)
        ref = next(iter(sandbox.storage_tokens))
        answers = [caller.project("DELETE", ref, "/custom-hostname") for _ in range(11)]
        assert [answer.status_code for answer in answers] == [400] * 10 + [429]
        assert message(answers[-1])[1] == "ThrottlerException: Too Many Requests"
        assert 0 < int(answers[-1].headers["Retry-After"]) <= 60
    finally:
        stop_sandbox(sandbox)


def test_unknown_routes_answer_in_the_form_of_their_interface(owner: Caller, neighbour: Sandbox) -> None:
    assert message(owner("PUT", "/v1/projects")) == (404, "Cannot PUT /v1/projects")
    storage = owner("PATCH", f"/{TRACKING}/storage/v1/object/demo/x")
    assert storage.status_code == 404
    assert storage.json()["message"] == "Route PATCH:/object/demo/x not found"
    assert owner("GET", f"/{'b' * 20}/storage/v1/bucket/").status_code == 404
    assert owner("GET", "/nope").json() == {"message": "Route GET:/nope not found", "error": "Not Found", "statusCode": 404}
    assert (owner("POST", "/_keys").status_code, owner("POST", "/_keys").headers["Allow"]) == (405, "GET")
    connection = HTTPConnection(neighbour.management_url.removeprefix("http://"), timeout=5)
    connection.request("GET", f"/{TRACKING}/storage/v1/bucket/bad%zz")
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["code"]) == (400, "FST_ERR_BAD_URL")
    connection.close()
