"""Host names as people type them."""

import pytest

from dashboard.features.hostname.rules.names import hostname_problem, normalize, relative, zones_of


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("api.example.com", "api.example.com"),
        ("  API.Example.COM. ", "api.example.com"),
        ("https://api.example.com/path?x=1#y", "api.example.com"),
        ("http://user@api.example.com:8443/", "api.example.com"),
        ("api.example.com:443", "api.example.com"),
        ("api.example.com/", "api.example.com"),
        ("bücher.example.com", "xn--bcher-kva.example.com"),
    ],
)
def test_it_takes_what_was_meant(typed: str, meant: str) -> None:
    assert normalize(typed) == meant
    assert hostname_problem(meant) is None


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("example.com", "is a domain itself"),
        ("example.co.uk", "is a domain itself"),
        ("localhost", "full name"),
        ("*.example.com", "wildcard"),
        ("a_b.example.com", "letters, digits and hyphens"),
        ("-a.example.com", "letters, digits and hyphens"),
        ("a..example.com", "letters, digits and hyphens"),
        ("192.0.2.7", "address"),
        ("a" * 64 + ".example.com", "at most 63"),
        (".".join(["abcdefgh"] * 30), "at most 253"),
    ],
)
def test_it_says_what_is_wrong(host: str, words: str) -> None:
    problem = hostname_problem(host)
    assert problem
    assert words in problem


def test_253_characters_are_allowed() -> None:
    host = ("a" * 63 + ".") * 3 + "b" * 61
    assert len(host) == 253
    assert hostname_problem(host) is None


def test_names_are_relative_to_a_zone() -> None:
    assert zones_of("api.eu.example.com") == ["example.com", "eu.example.com"]
    for domain in ("example.co.uk", "example.me.uk", "example.ne.jp", "example.asn.au", "example.k12.ca.us"):
        assert zones_of(f"api.{domain}") == [domain]
        assert hostname_problem(domain)
    assert zones_of("api.example.internal") == ["example.internal"]
    assert relative("_acme-challenge.api.example.com.", "example.com") == "_acme-challenge.api"
    assert relative("example.com", "example.com") == "@"
    assert relative("elsewhere.org", "example.com") == "elsewhere.org"
