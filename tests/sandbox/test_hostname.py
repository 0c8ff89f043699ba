"""M15 … M19: the custom hostname through all five states, moved on by DNS alone."""

import socket
from typing import Any

import dns.resolver
import pytest

from tests.sandbox.conftest import LAB, PORTFOLIO, SIGNAGE, STAGING, TRACKING, UPLOADS, Caller, message


def ask(owner: Caller, name: str, kind: str, *, tcp: bool = False) -> list[str]:
    host, port = owner.sandbox.dns.split(":")
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers, resolver.port, resolver.lifetime = [host], int(port), 1.0
    return [record.to_text() for record in resolver.resolve(name, kind, tcp=tcp, search=False)]


def publish(owner: Caller, name: str, kind: str, value: str) -> None:
    assert owner("POST", "/_dns", json={"action": "publish", "name": name, "type": kind, "value": value}).status_code == 200


def hostname(owner: Caller, method: str, ref: str, step: str = "") -> dict[str, Any]:
    answer = owner.project(method, ref, f"/custom-hostname{step}")
    assert answer.status_code == (201 if method == "POST" else 200)
    record: dict[str, Any] = answer.json()
    return record


def test_it_walks_through_all_states(owner: Caller) -> None:
    ref = owner.new_project()
    assert message(owner.project("GET", ref, "/custom-hostname")) == (400, "No custom hostname configuration found.")
    made = owner.project("POST", ref, "/custom-hostname/initialize", json={"custom_hostname": "api.walk.example"})
    assert (made.status_code, made.json()["status"]) == (201, "2_initiated")
    assert made.json()["data"]["result"]["ssl"] == {"status": "initializing", "validation_records": []}

    result = hostname(owner, "POST", ref, "/reverify")["data"]["result"]
    assert (result["status"], result["ssl"]["status"]) == ("pending", "pending_validation")
    assert result["verification_errors"] == ["custom hostname does not CNAME to this zone."]
    ownership, certificate = result["ownership_verification"], result["ssl"]["validation_records"][0]
    assert ownership["name"] == "_cf-custom-hostname.api.walk.example"
    assert certificate["txt_name"] == "_acme-challenge.api.walk.example"
    assert len(certificate["txt_value"]) == 43

    publish(owner, ownership["name"], "TXT", ownership["value"])
    record = hostname(owner, "POST", ref, "/reverify")
    assert record["status"] == "2_initiated"
    assert record["data"]["result"]["ownership_verification"] == {"type": "", "name": "", "value": ""}
    assert record["data"]["result"]["status"] == "active"

    publish(owner, certificate["txt_name"], "TXT", certificate["txt_value"])
    record = hostname(owner, "POST", ref, "/reverify")
    assert record["status"] == "3_challenge_verified"
    assert record["data"]["result"]["ssl"] == {"status": "pending_deployment", "validation_records": []}
    assert hostname(owner, "POST", ref, "/reverify")["status"] == "3_challenge_verified"
    assert message(owner.project("POST", ref, "/custom-hostname/activate")) == (400, "Verification has not been completed.")

    publish(owner, "api.walk.example", "CNAME", f"{ref}.supabase.co")
    record = hostname(owner, "POST", ref, "/reverify")
    assert record["status"] == "4_origin_setup_completed"
    assert record["data"]["result"]["ssl"]["status"] == "active"
    assert "verification_errors" not in record["data"]["result"]
    done = "Verification has been completed, please proceed to activation."
    assert message(owner.project("POST", ref, "/custom-hostname/reverify")) == (400, done)

    assert hostname(owner, "POST", ref, "/activate")["status"] == "5_services_reconfigured"
    assert hostname(owner, "GET", ref)["status"] == "5_services_reconfigured"
    assert message(owner.project("POST", ref, "/custom-hostname/activate")) == (
        400,
        "Custom hostname has already been activated.",
    )

    removed = owner.project("DELETE", ref, "/custom-hostname")
    assert (removed.status_code, removed.content) == (200, b"")
    assert message(owner.project("DELETE", ref, "/custom-hostname")) == (400, "Custom hostname not configured for project")
    assert message(owner.project("POST", ref, "/custom-hostname/reverify")) == (
        400,
        "Project is not pending custom hostname verification.",
    )


def test_the_old_form_wants_the_txt_in_place_of_the_cname(owner: Caller) -> None:
    record = hostname(owner, "GET", LAB)
    result = record["data"]["result"]
    host, ssl = record["custom_hostname"], result["ssl"]
    assert ssl["txt_name"] == host
    assert ssl["txt_value"].startswith("ca3-")
    assert result["ownership_verification_http"]["http_body"] == result["ownership_verification"]["value"]
    beside = owner("POST", "/_dns", json={"name": host, "type": "TXT", "value": ssl["txt_value"]})
    assert beside.status_code == 400

    owner("POST", "/_dns", json=[{"action": "remove", "name": host}, {"name": host, "type": "TXT", "value": ssl["txt_value"]}])
    publish(owner, result["ownership_verification"]["name"], "TXT", result["ownership_verification"]["value"])
    assert hostname(owner, "POST", LAB, "/reverify")["status"] == "3_challenge_verified"
    owner(
        "POST", "/_dns", json=[{"action": "remove", "name": host}, {"name": host, "type": "CNAME", "value": f"{LAB}.supabase.co"}]
    )
    assert hostname(owner, "POST", LAB, "/reverify")["status"] == "4_origin_setup_completed"


def test_every_state_is_seeded(owner: Caller) -> None:
    assert message(owner.project("GET", UPLOADS, "/custom-hostname")) == (400, "No custom hostname configuration found.")
    found = {ref: hostname(owner, "GET", ref)["status"] for ref in (STAGING, SIGNAGE, PORTFOLIO, TRACKING)}
    assert list(found.values()) == ["2_initiated", "3_challenge_verified", "4_origin_setup_completed", "5_services_reconfigured"]


def test_a_second_hostname_is_544_until_the_first_is_deleted(owner: Caller) -> None:
    status, text = message(
        owner.project("POST", TRACKING, "/custom-hostname/initialize", json={"custom_hostname": "a.b.example"})
    )
    assert status == 544
    assert text == "Delete the custom hostname associated with your project before attempting to create a new one."


@pytest.mark.parametrize(
    "name", ["", "example.com", "a b.example.com", "-a.example.com", "x" * 254, "https://a.example.com", "ü.example.com"]
)
def test_a_wrong_hostname_is_refused(owner: Caller, name: str) -> None:
    answer = owner.project("POST", UPLOADS, "/custom-hostname/initialize", json={"custom_hostname": name})
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("custom_hostname: ")


def test_a_forbidding_caa_record_is_told(owner: Caller) -> None:
    ref = owner.new_project()
    owner.project("POST", ref, "/custom-hostname/initialize", json={"custom_hostname": "api.strict.example"})
    publish(owner, "strict.example", "CAA", '0 issue "other-issuer.example"')
    result = hostname(owner, "POST", ref, "/reverify")["data"]["result"]
    assert result["ssl"]["validation_errors"][0]["message"].startswith("caa_error")
    owner("POST", "/_dns", json={"action": "remove", "name": "strict.example"})
    assert "validation_errors" not in hostname(owner, "POST", ref, "/reverify")["data"]["result"]["ssl"]


def test_a_hostname_stays_while_told_to(owner: Caller) -> None:
    ref = owner.new_project()
    owner.project("POST", ref, "/custom-hostname/initialize", json={"custom_hostname": "api.stay.example"})
    result = hostname(owner, "POST", ref, "/reverify")["data"]["result"]
    publish(owner, result["ownership_verification"]["name"], "TXT", result["ownership_verification"]["value"])
    owner("POST", "/_faults", json={"operation": "M18", "stay": True})
    assert hostname(owner, "POST", ref, "/reverify")["data"]["result"]["status"] == "pending"
    owner("DELETE", "/_faults")
    assert hostname(owner, "POST", ref, "/reverify")["data"]["result"]["status"] == "active"


@pytest.mark.parametrize("tcp", [False, True])
def test_dns_answers_over_udp_and_tcp(owner: Caller, tcp: bool) -> None:
    publish(owner, "txt.dns.example", "TXT", 'with "quotes" and ' + "length" * 60)
    (text,) = ask(owner, "txt.dns.example", "TXT", tcp=tcp)
    assert text.replace('" "', "").endswith("length" * 60 + '"')
    publish(owner, "alias.dns.example", "CNAME", f"{TRACKING}.supabase.co")
    assert ask(owner, "alias.dns.example", "CNAME", tcp=tcp) == [f"{TRACKING}.supabase.co."]
    assert ask(owner, "ALIAS.dns.example", "A", tcp=tcp) == ["127.0.0.1"]


def test_dns_tells_a_missing_name_from_a_missing_record_and_from_a_broken_name(owner: Caller) -> None:
    publish(owner, "here.dns2.example", "A", "192.0.2.1")
    with pytest.raises(dns.resolver.NXDOMAIN):
        ask(owner, "nothere.dns2.example", "A")
    with pytest.raises(dns.resolver.NoAnswer):
        ask(owner, "here.dns2.example", "TXT")
    with pytest.raises(dns.resolver.NoAnswer):
        ask(owner, "dns2.example", "A")
    for how, error in (
        ("servfail", dns.resolver.NoNameservers),
        ("nxdomain", dns.resolver.NXDOMAIN),
        ("silent", dns.resolver.LifetimeTimeout),
    ):
        owner("POST", "/_dns", json={"action": "break", "name": "here.dns2.example", "how": how})
        with pytest.raises(error):
            ask(owner, "here.dns2.example", "A")
    owner("POST", "/_dns", json={"action": "mend", "name": "here.dns2.example"})
    assert ask(owner, "here.dns2.example", "A") == ["192.0.2.1"]


def test_the_rule_that_a_cname_stands_alone_can_be_broken_on_purpose(owner: Caller) -> None:
    publish(owner, "both.dns.example", "CNAME", "elsewhere.example")
    mail = {"name": "both.dns.example", "type": "MX", "value": "10 mail.example."}
    assert owner("POST", "/_dns", json=mail).status_code == 400
    assert owner("POST", "/_dns", json={**mail, "beside": True}).status_code == 200
    assert ask(owner, "both.dns.example", "CNAME") == ["elsewhere.example."]
    assert ask(owner, "both.dns.example", "MX") == ["10 mail.example."]


def test_dns_survives_garbage(owner: Caller) -> None:
    host, port = owner.sandbox.dns.split(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"\x00" * 3, (host, int(port)))
        sock.sendto(b"\xff" * 600, (host, int(port)))
    assert ask(owner, f"{TRACKING}.supabase.co", "A")


@pytest.mark.parametrize(
    "change",
    [
        {},
        [1],
        {"name": "x", "type": "SRV", "value": "y"},
        {"name": "x", "type": "A", "value": "y"},
        {"name": "x..y", "type": "TXT", "value": "y"},
        {"name": "x", "type": "TXT", "value": "y", "ttl": "long"},
        {"action": "explode", "name": "x"},
    ],
)
def test_wrong_dns_changes_are_refused(owner: Caller, change: object) -> None:
    assert owner("POST", "/_dns", json=change).status_code == 400
