"""Reading a list as people write it, and what there is to say about it."""

import pytest

from dashboard.facts.addresses import read_address
from dashboard.features.network.rules.lists import RangeList, admission, difference
from dashboard.features.network.rules.ranges import read


def said(text: str, *, has_v6: bool = True) -> list[tuple[int, str, str]]:
    return [(entry.line, finding.tone, finding.text) for entry, finding in read(text, has_v6=has_v6).findings]


def test_comments_and_order_are_kept_and_ranges_get_their_short_form() -> None:
    draft = read("# offices\r\n203.0.113.9/24 #Berlin\r\n\r\n198.51.100.7\r\n2001:DB8::1/48   # tunnel # two\r\n", has_v6=True)
    assert draft.text == "# offices\n203.0.113.0/24  # Berlin\n\n198.51.100.7/32\n2001:db8::/48  # tunnel # two"
    assert (draft.v4, draft.v6) == (("203.0.113.0/24", "198.51.100.7/32"), ("2001:db8::/48",))
    assert draft.comments == {"203.0.113.0/24": "Berlin", "2001:db8::/48": "tunnel # two"}
    assert draft.can_be_sent
    assert read(draft.text, has_v6=True).text == draft.text


def test_a_pasted_list_in_one_line_is_taken_apart() -> None:
    assert read('["8.8.8.0/24", "9.9.9.9"]', has_v6=True).v4 == ("8.8.8.0/24", "9.9.9.9/32")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("office", "Neither an address nor a range"),
        ("203.0.113", "IPv4 has four numbers from 0 to 255"),
        ("203.0.113.256", "IPv4 has four numbers from 0 to 255"),
        ("203.0.113.010", "Has leading zeros"),
        ("203.0.113.0/33", "has /0 to /32"),
        ("2001:db8::/129", "has /0 to /128"),
        ("203.0.113.0/x", "has /0 to /32"),
        ("203.0.113.0-203.0.113.5", "as 203.0.113.0/30, 203.0.113.4/31"),
        ("203.0.113.1-203.0.114.254", "such as 203.0.113.0/24"),
        ("203.0.113.9-203.0.113.1", "Neither an address nor a range"),
        ("fe80::1%eth0", "Has a zone"),
        ("10.1.0.0/16", "Private addresses aren't supported: 10.0.0.0/8"),
        ("172.31.255.1", "Private addresses aren't supported: 172.16.0.0/12"),
        ("192.168.0.0/24", "Private addresses aren't supported: 192.168.0.0/16"),
        ("fd00::/8", "Private addresses aren't supported: fc00::/7"),
        ("::ffff:203.0.113.0/120", "Write it as IPv4."),
    ],
)
def test_what_can_not_be_sent_says_why(line: str, words: str) -> None:
    draft = read(f"198.51.100.0/24\n{line}", has_v6=True)
    assert not draft.can_be_sent
    assert [entry.line for entry, _ in draft.problems] == [2]
    assert words in draft.problems[0][1].text
    assert f"“{line}”" not in draft.problems[0][1].text, "it stands before the sentence"


def test_ipv6_needs_a_service_that_shows_it() -> None:
    assert "has no IPv6 list" in said("2001:db8::/48", has_v6=False)[0][2]
    assert said("2001:db8::/48", has_v6=True) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("203.0.113.0/24\n203.0.113.9/24", "Duplicate of line 1; sent once."),
        ("203.0.113.64/26\n203.0.113.0/24", "Redundant: already covered by 203.0.113.0/24 on line 2."),
        ("203.0.113.0/25\n203.0.113.128/25", "With 203.0.113.0/25 on line 1 this is 203.0.113.0/24"),
        ("203.0.113.128/25\n203.0.113.0/25", "With 203.0.113.128/25 on line 1 this is 203.0.113.0/24"),
        ("2001:db8::/33\n2001:db8:8000::/33", "this is 2001:db8::/32"),
        ("203.0.113.9/24", "Sent as 203.0.113.0/24, which contains it."),
        ("203.0.113.9", "Sent as 203.0.113.9/32."),
        ("2001:db8::9", "Sent as 2001:db8::9/128."),
        ("0.0.0.0/0", "Everybody: this is every IPv4 address."),
        ("127.0.0.1/32", "No client on the internet"),
        ("203.0.113.0/255.255.255.0", ""),
    ],
)
def test_what_is_noticed_does_not_hinder(text: str, found: str) -> None:
    assert read(text, has_v6=True).can_be_sent
    assert found in " ".join(finding for _, _, finding in said(text))


def test_a_list_of_two_thousand_lines_is_read_and_a_longer_one_is_not() -> None:
    lines = [f"11.{n // 250}.{n % 250}.0/24" for n in range(2000)]
    assert len(read("\n".join(lines), has_v6=True).v4) == 2000
    assert not read("\n".join([*lines, "#"]), has_v6=True).can_be_sent


@pytest.mark.parametrize(
    ("v4", "v6", "sentence"),
    [
        ([], None, "Nobody may reach the database."),
        ([], [], "Nobody may reach the database."),
        (["203.0.113.0/24", "198.51.100.0/24", "192.0.2.0/31"], None, "3 ranges (514 addresses) may reach the database."),
        (["203.0.113.0/24", "203.0.113.64/26"], None, "2 ranges (256 addresses) may reach the database."),
        (["192.0.2.1/32"], None, "1 range (1 address) may reach the database."),
        (["192.0.2.1/32"], [], "1 range (1 address) may reach the database; nobody over IPv6."),
        ([], ["2001:db8::/48"], "1 IPv6 range may reach the database; nobody over IPv4."),
        (["0.0.0.0/0"], ["::/0"], "Everybody may reach the database."),
        (["0.0.0.0/0"], None, "Everybody may reach the database."),
        (["0.0.0.0/0"], [], "Everybody over IPv4 may reach the database; nobody over IPv6."),
        (
            ["192.0.2.0/24"],
            ["2001:db8::1/128"],
            "1 IPv4 range (256 addresses) and 1 IPv6 range (1 address) may reach the database.",
        ),
        (["192.0.2.0/24"], ["::/0"], "1 IPv4 range (256 addresses) and everybody over IPv6 may reach the database."),
    ],
)
def test_a_list_reads_as_a_sentence(v4: list[str], v6: list[str] | None, sentence: str) -> None:
    assert RangeList.of(v4, v6).summary == sentence


def test_lists_compare_by_what_they_hold() -> None:
    one, other = RangeList.of(["203.0.113.9/24", "1.2.3.4"], None), RangeList.of(["1.2.3.4/32", "203.0.113.0/24"], None)
    assert one.fingerprint == other.fingerprint
    assert difference(one, other).is_none
    assert one.fingerprint != RangeList.of(one.v4, []).fingerprint
    for listed in (one, RangeList.of([], None), RangeList.of([], []), RangeList.of(["1.2.3.4"], ["2001:db8::/32"])):
        assert RangeList.parse(listed.line) == listed


def test_a_range_that_nobody_knows_is_kept_as_it_is() -> None:
    listed = RangeList.of(["pool:eu", "1.2.3.4/32"], None)
    assert listed.v4 == ("pool:eu", "1.2.3.4/32")
    assert listed.summary == "2 ranges (1 address) may reach the database."


def test_the_narrowest_range_lets_somebody_in() -> None:
    listed = RangeList.of(["203.0.113.0/24", "203.0.113.0/28"], None)
    assert admission(listed, read_address("203.0.113.9")).by == "203.0.113.0/28"
    assert admission(listed, read_address("198.51.100.1")).word == "not allowed"
    assert admission(listed, read_address("2001:db8::1")).word == "unknown"
    assert admission(None, read_address("203.0.113.9")).word == "unknown"
    assert admission(listed, None).word == "unknown"
    assert admission(RangeList.of([], None), None).word == "not allowed"
    assert admission(RangeList.of(["0.0.0.0/0"], ["::/0"]), None).word == "allowed"
    assert admission(RangeList.of(["0.0.0.0/0"], []), None).word == "unknown"
