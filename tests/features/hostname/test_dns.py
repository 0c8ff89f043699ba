"""The record doctor against a real name server: each fault is served, and called by its name."""

import socket
from uuid import uuid4

import pytest
from pytest_django import Settings

from dashboard.features.hostname.rules.findings import Finding, Kind, merge
from dashboard.features.hostname.services import dns, instructions
from dashboard.features.hostname.services import resolver as dns_resolver
from dashboard.features.hostname.services.dns import Examination, Need
from dashboard.features.hostname.views import panel
from tests.features.hostname.desk import Desk

TARGET = "abcdefghijklmnopqrst.supabase.co"
VALUE = "5cc07c04-ea62-4a5a-95f0-419334a875a4"


@pytest.fixture
def zone() -> str:
    return f"{uuid4().hex[:10]}.example"


def alias(zone: str) -> Need:
    return Need("CNAME", f"api.{zone}", TARGET, f"api.{zone}")


def text(zone: str, name: str = "_acme-challenge.api") -> Need:
    return Need("TXT", f"{name}.{zone}", VALUE, f"api.{zone}")


def examine(desk: Desk, *needs: Need, **more: str) -> Examination:
    return dns.look_up(needs, dns_resolver.resolvers([desk.sandbox.dns]), **more)  # type: ignore[arg-type] # texts only


def finding(desk: Desk, need: Need) -> Finding:
    return examine(desk, need).findings[need]


def test_right(desk: Desk, zone: str) -> None:
    desk.publish(f"api.{zone}", "CNAME", f"{TARGET.upper()}.")
    desk.publish(f"_acme-challenge.api.{zone}", "TXT", VALUE)
    found = examine(desk, alias(zone), text(zone))
    assert [finding.kind for finding in found.findings.values()] == [Kind.CORRECT, Kind.CORRECT]
    assert found.issuer
    assert found.issuer.kind is Kind.CORRECT
    assert found.looks_right


def test_missing(desk: Desk, zone: str) -> None:
    for need in (alias(zone), text(zone)):
        found = finding(desk, need)
        assert found.kind is Kind.MISSING
        assert need.name in found.fix
        assert found.expected == need.value
    assert not examine(desk, alias(zone)).looks_right


def test_wrong_value(desk: Desk, zone: str) -> None:
    desk.publish(f"api.{zone}", "CNAME", "elsewhere.example", ttl=1800)
    desk.publish(f"_acme-challenge.api.{zone}", "TXT", "old")
    found = finding(desk, alias(zone))
    assert (found.kind, found.seen, found.cached_for) == (Kind.WRONG, ("CNAME elsewhere.example.",), "30 minutes")
    assert finding(desk, text(zone)).kind is Kind.WRONG
    assert finding(desk, text(zone)).seen == ("old",)


def test_quotation_marks_in_the_value_are_recognised(desk: Desk, zone: str) -> None:
    desk.publish(f"_acme-challenge.api.{zone}", "TXT", f'"{VALUE}"')
    found = finding(desk, text(zone))
    assert found.kind is Kind.WRONG
    assert "quotation marks" in found.fix


def test_an_old_value_beside_the_right_one_does_no_harm(desk: Desk, zone: str) -> None:
    desk.publish(f"_acme-challenge.api.{zone}", "TXT", "old")
    desk.publish(f"_acme-challenge.api.{zone}", "TXT", VALUE)
    assert finding(desk, text(zone)).kind is Kind.CORRECT


def test_zone_name_doubled(desk: Desk, zone: str) -> None:
    desk.publish(f"api.{zone}.{zone}", "CNAME", TARGET)
    desk.publish(f"_acme-challenge.api.{zone}.{zone}", "TXT", VALUE)
    found = finding(desk, alias(zone))
    assert found.kind is Kind.DOUBLED
    assert found.seen == (f"CNAME at api.{zone}.{zone}",)
    assert "relative name api," in found.fix
    found = finding(desk, text(zone))
    assert found.kind is Kind.DOUBLED
    assert "relative name _acme-challenge.api," in found.fix


def test_zone_name_doubled_in_the_value(desk: Desk, zone: str) -> None:
    desk.publish(f"api.{zone}", "CNAME", f"{TARGET}.{zone}")
    found = finding(desk, alias(zone))
    assert found.kind is Kind.DOUBLED
    assert f"{TARGET}.." not in found.fix
    assert "dot at the end" in found.fix


def test_cname_beside_another_type(desk: Desk, zone: str) -> None:
    desk.publish(f"api.{zone}", "CNAME", TARGET)
    desk.publish(f"api.{zone}", "MX", "10 mail.example.", beside=True)
    found = finding(desk, alias(zone))
    assert found.kind is Kind.CONFLICT
    assert any(value.startswith("MX") for value in found.seen)
    assert "Remove the MX record" in found.fix


def test_a_cname_that_hides_a_txt_record(desk: Desk, zone: str) -> None:
    desk.publish(f"_acme-challenge.api.{zone}", "CNAME", "elsewhere.example")
    found = finding(desk, text(zone))
    assert found.kind is Kind.CONFLICT
    assert "hides this record" in found.fix


def test_the_old_certificate_record_takes_the_place_of_the_cname_for_a_while(desk: Desk, zone: str) -> None:
    own = text(zone, "api")
    desk.publish(f"api.{zone}", "CNAME", TARGET)
    found = examine(desk, alias(zone), own)
    assert found.findings[own].kind is Kind.CONFLICT
    assert "Replace the CNAME" in found.findings[own].fix
    # What is seen is what is expected, so nothing of it comes later.
    assert found.findings[alias(zone)].kind is Kind.CORRECT
    assert not found.looks_right
    desk.dns({"action": "remove", "name": f"api.{zone}"})
    desk.publish(f"api.{zone}", "TXT", VALUE)
    found = examine(desk, alias(zone), own)
    assert (found.findings[own].kind, found.findings[alias(zone)].kind) == (Kind.CORRECT, Kind.LATER)
    assert found.looks_right


def test_an_address_in_place_of_the_cname(desk: Desk, zone: str) -> None:
    desk.publish(f"api.{zone}", "A", "192.0.2.9")
    found = finding(desk, alias(zone))
    assert found.kind is Kind.ADDRESS
    assert found.seen == ("A 192.0.2.9",)
    assert "proxied" in found.fix


def test_another_type_where_the_cname_is_missing_has_to_go(desk: Desk, zone: str) -> None:
    desk.publish(f"api.{zone}", "TXT", "something")
    found = finding(desk, alias(zone))
    assert found.kind is Kind.MISSING
    assert "Remove the TXT record there first" in found.fix


@pytest.mark.parametrize(
    ("record", "authority", "kind"),
    [
        ('0 issue "other-issuer.example"', "", Kind.CAA),
        ('0 issue ";"', "", Kind.CAA),
        ('0 issue "letsencrypt.org"', "", Kind.CORRECT),
        ('0 issue "letsencrypt.org; validationmethods=dns-01"', "lets_encrypt", Kind.CORRECT),
        ('0 issue "letsencrypt.org"', "digicert", Kind.CAA),
        ('0 iodef "mailto:a@example.org"', "digicert", Kind.CORRECT),
    ],
)
def test_caa(desk: Desk, zone: str, record: str, authority: str, kind: Kind) -> None:
    desk.publish(zone, "CAA", record)
    desk.publish(f"api.{zone}", "CNAME", TARGET)
    found = examine(desk, alias(zone), authority=authority)
    assert found.issuer
    assert found.issuer.kind is kind
    assert found.issuer.seen
    assert found.looks_right == (kind is Kind.CORRECT)
    assert bool(found.issuer.fix) == (kind is Kind.CAA)


def test_the_nearest_caa_record_counts(desk: Desk, zone: str) -> None:
    desk.publish(zone, "CAA", '0 issue "other-issuer.example"')
    desk.publish(f"api.{zone}", "CAA", '0 issue "pki.goog"')
    found = examine(desk, alias(zone))
    assert found.issuer
    assert found.issuer.kind is Kind.CORRECT


@pytest.mark.parametrize("how", ["silent", "servfail"])
def test_what_could_not_be_asked_is_not_held_against_anybody(desk: Desk, zone: str, how: str) -> None:
    desk.dns({"action": "break", "name": f"api.{zone}", "how": how})
    found = examine(desk, alias(zone), text(zone))
    assert found.findings[alias(zone)].kind is Kind.UNKNOWN
    assert "Couldn't look this record up" in found.findings[alias(zone)].fix
    assert found.findings[text(zone)].kind is Kind.MISSING
    assert found.issuer
    assert found.issuer.kind is Kind.UNKNOWN
    assert not found.looks_right


def closed_port() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{sock.getsockname()[1]}"


def test_a_name_server_that_is_off_makes_every_record_unknown(desk: Desk, zone: str) -> None:
    found = dns.look_up([alias(zone), text(zone)], dns_resolver.resolvers([closed_port()]))
    assert {finding.kind for finding in found.findings.values()} == {Kind.UNKNOWN}


def test_one_resolver_that_answers_is_enough(desk: Desk, zone: str) -> None:
    desk.publish(f"api.{zone}", "CNAME", TARGET)
    found = dns.look_up([alias(zone)], dns_resolver.resolvers([closed_port(), desk.sandbox.dns]))
    assert found.findings[alias(zone)].kind is Kind.CORRECT
    assert [word for _, word in found.findings[alias(zone)].resolvers] == ["unknown", "correct"]


def test_resolvers_that_disagree_are_partly_spread() -> None:
    found = merge([("a", Finding(Kind.CORRECT, "x")), ("b", Finding(Kind.WRONG, "x", ("y",), "z"))])
    assert found.kind is Kind.PROPAGATING
    assert found.resolvers == (("a", "correct"), ("b", "wrong value"))


@pytest.mark.parametrize("name", ["a..b", "x" * 300, "_acme-challenge.\N{SNOWMAN}.example", ""])
def test_a_name_that_is_none_can_not_be_asked_about(desk: Desk, name: str) -> None:
    need = Need("TXT", name, VALUE, "api.plain.example")
    assert finding(desk, need).kind in {Kind.UNKNOWN, Kind.MISSING}


def test_only_the_configured_resolvers_are_asked(desk: Desk, settings: Settings) -> None:
    assert [resolver.port for resolver in dns_resolver.resolvers([desk.sandbox.dns])] == [int(desk.sandbox.dns.split(":")[1])]
    with pytest.raises(dns_resolver.NoResolver):
        dns_resolver.resolvers(["no-such-host.invalid:53"])


def test_a_look_up_that_failed_is_made_anew_and_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instructions, "CACHE_SIZE", 2)
    look_ups, found = instructions._LookUps(), Examination({}, None, ())

    def fail() -> Examination:
        raise OSError("away")

    with pytest.raises(OSError, match="away"):
        look_ups.get("a", fail)
    for key in "abcde":
        assert look_ups.get(key, lambda: found)[0] is found
    assert look_ups.get("e", fail)[0] is found
    assert len(look_ups._kept) <= 2


def test_of_many_further_members_of_an_answer_some_are_shown() -> None:
    shown = list(panel._others({f"member{number}": number for number in range(65)}))
    assert len(shown) == 61
    assert shown[-1] == ("…", "and more")
