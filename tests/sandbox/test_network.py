"""M22 … M25: bans and restrictions."""

import time
from pathlib import Path

import pytest

from tests.conftest import start_sandbox, stop_sandbox
from tests.sandbox.conftest import LAB, PORTFOLIO, SIGNAGE, STAGING, TRACKING, UPLOADS, Caller, message


def restrictions(owner: Caller, ref: str) -> dict[str, object]:
    found: dict[str, object] = owner.project("GET", ref, "/network-restrictions").json()
    return found


def test_bans_are_listed_and_lifted(owner: Caller) -> None:
    answer = owner.project("POST", STAGING, "/network-bans/retrieve")
    assert (answer.status_code, answer.json()) == (201, {"banned_ipv4_addresses": ["192.0.2.146"]})
    lifted = owner.project(
        "DELETE", STAGING, "/network-bans", json={"ipv4_addresses": ["192.0.2.146", "198.51.100.9", "2001:db8::1"]}
    )
    assert (lifted.status_code, lifted.content, "Content-Type" in lifted.headers) == (200, b"", False)
    assert owner.project("POST", STAGING, "/network-bans/retrieve").json() == {"banned_ipv4_addresses": []}
    assert len(owner.project("POST", TRACKING, "/network-bans/retrieve").json()["banned_ipv4_addresses"]) == 3


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, "ipv4_addresses: Required"),
        ({"ipv4_addresses": "192.0.2.1"}, "ipv4_addresses: Expected array, received string"),
        ({"ipv4_addresses": [1]}, "ipv4_addresses.0: Expected string, received number"),
        ({"ipv4_addresses": ["nowhere"]}, "ipv4_addresses.0: Invalid IP address"),
    ],
)
def test_wrong_addresses_are_refused(owner: Caller, body: object, text: str) -> None:
    assert message(owner.project("DELETE", TRACKING, "/network-bans", json=body)) == (400, text)


def test_restrictions_are_seeded_in_every_state(owner: Caller) -> None:
    found = {
        (one["entitlement"], one["status"])
        for one in (restrictions(owner, ref) for ref in (TRACKING, STAGING, SIGNAGE, PORTFOLIO))
    }
    assert found == {("allowed", "applied"), ("allowed", "stored"), ("disallowed", "stored"), ("disallowed", "applied")}
    assert restrictions(owner, STAGING)["old_config"] == {"dbAllowedCidrs": ["0.0.0.0/0"], "dbAllowedCidrsV6": ["::/0"]}
    assert restrictions(owner, LAB)["config"] == {"dbAllowedCidrs": [], "dbAllowedCidrsV6": []}
    assert restrictions(owner, UPLOADS) == {
        "entitlement": "allowed",
        "config": {"dbAllowedCidrs": ["192.0.2.0/24"]},
        "status": "applied",
    }


def test_a_new_list_is_stored_then_applied(tmp_path: Path) -> None:
    sandbox = start_sandbox(tmp_path, "--empty", "--delay", "4")
    caller = Caller(sandbox, sandbox.personal_token)
    ref = next(iter(sandbox.storage_tokens))
    try:
        assert restrictions(caller, ref)["config"] == {"dbAllowedCidrs": ["0.0.0.0/0"], "dbAllowedCidrsV6": ["::/0"]}
        answer = caller.project(
            "POST",
            ref,
            "/network-restrictions/apply",
            json={"dbAllowedCidrs": ["203.0.113.0/24"], "dbAllowedCidrsV6": ["2001:db8::/32"]},
        )
        assert (answer.status_code, answer.json()["status"]) == (201, "stored")
        assert restrictions(caller, ref)["old_config"] == {"dbAllowedCidrs": ["0.0.0.0/0"], "dbAllowedCidrsV6": ["::/0"]}
        deadline = time.monotonic() + 30
        while (applied := restrictions(caller, ref))["status"] == "stored" and time.monotonic() < deadline:
            time.sleep(0.1)
        assert (applied["status"], "old_config" in applied) == ("applied", False)
        assert applied["config"] == {"dbAllowedCidrs": ["203.0.113.0/24"], "dbAllowedCidrsV6": ["2001:db8::/32"]}
    finally:
        stop_sandbox(sandbox)


def test_the_whole_list_is_replaced(owner: Caller) -> None:
    ref = owner.new_project()
    for listed in (["203.0.113.7/32", "198.51.100.0/24"], ["192.0.2.0/24"], []):
        answer = owner.project("POST", ref, "/network-restrictions/apply", json={"dbAllowedCidrs": listed})
        assert (answer.status_code, answer.json()["status"]) == (201, "applied")
        assert answer.json()["config"]["dbAllowedCidrs"] == listed


def test_a_list_stays_stored_while_told_to(owner: Caller) -> None:
    ref = owner.new_project()
    owner("POST", "/_faults", json={"operation": "M25", "stay": True})
    assert owner.project("POST", ref, "/network-restrictions/apply", json={"dbAllowedCidrs": []}).json()["status"] == "stored"
    owner("DELETE", "/_faults")
    assert restrictions(owner, ref)["status"] == "stored"
    assert owner.project("POST", ref, "/network-restrictions/apply", json={"dbAllowedCidrs": []}).json()["status"] == "applied"


def test_a_project_without_the_feature_is_refused(owner: Caller) -> None:
    answer = owner.project("POST", SIGNAGE, "/network-restrictions/apply", json={"dbAllowedCidrs": []})
    assert message(answer) == (400, "project not allowed to set up network restrictions")


@pytest.mark.parametrize(
    ("listed", "text"),
    [
        ("10.1.0.0/16", "dbAllowedCidrs.0: Private IP addresses are not supported"),
        ("203.0.113.9/24", "dbAllowedCidrs.0: Invalid CIDR"),
        ("203.0.113.9", "dbAllowedCidrs.0: Expected an IPv4 CIDR"),
        ("2001:db8::/32", "dbAllowedCidrs.0: Expected an IPv4 CIDR"),
        ("office", "dbAllowedCidrs.0: Invalid CIDR"),
        (4, "dbAllowedCidrs.0: Expected string, received number"),
    ],
)
def test_wrong_networks_are_refused(owner: Caller, listed: object, text: str) -> None:
    answer = owner.project("POST", TRACKING, "/network-restrictions/apply", json={"dbAllowedCidrs": [listed]})
    assert message(answer) == (400, text)


def test_nothing_to_apply_is_refused(owner: Caller) -> None:
    assert message(owner.project("POST", TRACKING, "/network-restrictions/apply", json={})) == (400, "dbAllowedCidrs: Required")


def test_a_switch_bans_as_the_database_would(owner: Caller) -> None:
    ref = owner.new_project()
    banned = owner("POST", "/_bans", json={"ref": ref, "addresses": ["192.0.2.7", "2001:DB8::7", "192.0.2.7"]})
    assert (banned.status_code, banned.json()) == (201, {"banned_ipv4_addresses": ["192.0.2.7", "2001:db8::7"]})
    assert owner("POST", "/_bans", json={"ref": ref, "addresses": ["nowhere"]}).status_code == 400
    assert owner("POST", "/_bans", json={"ref": "nobody", "addresses": []}).status_code == 404
