"""The command palette: everything that the person's own credentials show, and nothing else."""

import re
from datetime import timedelta
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import resolve, reverse
from django.utils import timezone

from dashboard.catalog.models import Catalog, Folder, Indexed
from dashboard.features.network.services.restrictions import restrictions_of
from dashboard.journal.recorder import record
from dashboard.links.models import Share
from dashboard.team.models import Person, Role
from dashboard.tokens.models import LastKnown, StoredToken
from dashboard.vault.seals import Sealed
from tests.features.network.desk import STAGING, TRACKING, Bans, Desk, bans, desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient, htmx
from tests.people import client_of, hold
from tests.sandboxes import Sandbox

__all__ = ["bans", "desk"]

GROUP = re.compile(r'<section aria-label="([^"]+)">(.*?)</section>', re.DOTALL)
HIT = re.compile(r'class="find__hit" href="([^"]+)".*?class="find__name"[^>]*>([^<]+)<', re.DOTALL)

SEALED = Sealed.seal("a code", owner=1, purpose="a test")


def found(client: PageClient, text: str) -> dict[str, list[tuple[str, str]]]:
    """Entries by kind, as pairs of address and name."""
    part = client.get(reverse("palette:index"), {"q": text}, headers=htmx("find-list")).text
    return {
        title: [(href.replace("&amp;", "&"), name) for href, name in HIT.findall(body)] for title, body in GROUP.findall(part)
    }


def index(person: Person, space: str, bucket: str, *keys: str) -> None:
    """An index of the person's storage token."""
    token = StoredToken.objects.get(person=person, space=space, kind="storage")
    now = timezone.now()
    catalog = Catalog.objects.create(space=space, bucket=bucket, token=token.fingerprint, as_of=now, count=len(keys))
    folder = Folder.objects.create(catalog=catalog, path="")
    for key in keys:
        Indexed.objects.create(catalog=catalog, folder=folder, key=key, name=key.rpartition("/")[2].lower(), size=1)


@pytest.fixture
def keeper(as_keeper: PageClient, owner: Person, service: Sandbox) -> PageClient:
    hold(owner, service.storage_tokens[TRACKING]["service"], TRACKING)
    as_keeper.get(reverse("projects:switch", args=[TRACKING]))
    return as_keeper


def test_projects_are_found_by_name_and_ref(keeper: PageClient) -> None:
    for text in ("tracking stag", STAGING[:10]):
        assert (reverse("projects:show", args=[STAGING]), "parcel-tracking-staging") in found(keeper, text)["Projects"]


def test_sections_are_found_in_each_project(keeper: PageClient) -> None:
    keeper.get(reverse("types:index", args=[TRACKING]))
    hits = found(keeper, "secrets")["Sections"]
    assert hits[0] == (reverse("secrets:index", args=[TRACKING]), "Secrets")
    assert found(keeper, "secrets staging")["Sections"] == [(reverse("secrets:index", args=[STAGING]), "Secrets")]
    assert (reverse("home:hostnames"), "Hostnames") in found(keeper, "hostnames")["Sections"]


def test_actions_name_the_project(keeper: PageClient) -> None:
    hits = found(keeper, "lift ban staging")["Actions"]
    assert hits == [(reverse("network:bans", args=[STAGING]), "Lift a ban in parcel-tracking-staging")]
    assert (reverse("projects:new"), "New project") in found(keeper, "new proj")["Actions"]


@pytest.mark.parametrize(
    ("text", "address", "name"),
    [
        ("revoke", "/links/", "Revoke a share link"),
        ("add a pers", "/team/new/", "Add a person"),
        ("jobs", "/jobs/", "Jobs"),
        ("notif", "/notifications/", "Notifications"),
    ],
)
def test_what_concerns_all_projects_is_found(keeper: PageClient, text: str, address: str, name: str) -> None:
    assert (address, name) in found(keeper, text)["Actions"]


@pytest.mark.parametrize(
    ("text", "kind", "view"),
    [
        ("bans", "Sections", "network:bans"),
        ("banned staging", "Sections", "network:bans"),
        ("dns", "Sections", "hostname:index"),
        ("jwt", "Sections", "functions:index"),
        ("keys", "Sections", "encryption:index"),
        ("cors", "Sections", "functions:index"),
        ("rollback", "Sections", "functions:index"),
        ("roll back", "Sections", "functions:index"),
        ("keys", "Sections", "secrets:index"),
        ("trash", "Sections", "buckets:index"),
        ("snapshots", "Sections", "buckets:index"),
        ("restore", "Sections", "buckets:index"),
        ("usage", "Sections", "buckets:index"),
        ("blocked", "Sections", "network:bans"),
        ("allowed", "Actions", "network:restrictions"),
        ("ssl", "Sections", "hostname:index"),
        ("schema", "Sections", "types:index"),
        ("encryption", "Sections", "encryption:index"),
        ("new bucket", "Actions", "buckets:new"),
        ("banned", "Actions", "network:bans"),
    ],
)
def test_usual_words_find_pages_of_projects(keeper: PageClient, text: str, kind: str, view: str) -> None:
    # Other tests made projects, too, and a few of all are offered.
    found_views = {resolve(urlsplit(href).path).view_name for href, _ in found(keeper, text)[kind]}
    assert view in found_views


@pytest.mark.parametrize(
    ("text", "kind", "address"),
    [
        ("members", "Sections", "/people/"),
        ("permissions", "Sections", "/people/"),
        ("invite", "Sections", "/people/"),
        ("invite", "Actions", "/team/new/"),
        ("shared", "Sections", "/links/"),
        ("e-mail", "Actions", "/notifications/"),
        ("dns", "Sections", "/hostnames/"),
        ("keys", "Actions", "/account/"),
        ("profile", "Actions", "/account/"),
        ("2fa", "Actions", "/account/sign-in/"),
        ("two-factor", "Actions", "/account/sign-in/"),
        ("email", "Actions", "/notifications/"),
        ("organizations", "Actions", "/organizations/"),
        ("logs", "Sections", "/journal/"),
        ("sign out", "Actions", "/account/logout/"),
        ("log out", "Actions", "/account/logout/"),
        ("theme", "Actions", "/account/#theme"),
        ("dark", "Actions", "/account/#theme"),
    ],
)
def test_usual_words_find_pages_of_the_team(keeper: PageClient, text: str, kind: str, address: str) -> None:
    assert address in [href for href, _ in found(keeper, text)[kind]]


def test_words_of_a_page_do_not_find_a_part_of_it(keeper: PageClient) -> None:
    assert "/account/#theme" not in [href for href, _ in found(keeper, "password")["Actions"]]


def test_an_ip_address_is_looked_up_in_what_was_read(keeper: PageClient, bans: Bans, desk: Desk, calls: Calls) -> None:
    bans.put("203.0.113.9")
    here = f"{reverse('home:index')}?view=network&address=203.0.113.9"
    assert found(keeper, "203.0.113.9")["Address"] == [(here, "Find 203.0.113.9 in all projects")]
    for ref in (TRACKING, STAGING):
        keeper.part(reverse("home:row", args=[ref]), "", view="network")
    calls()
    text = keeper.part(reverse("palette:index"), "find-list", q=" 203.0.113.9/32 ").text
    assert calls() == []
    assert "Banned · Allowed by 0.0.0.0/0 · checked just now" in text
    # Which list is in force depends on what other tests saved.
    in_force = restrictions_of(desk.now).in_force
    allowed = "Allowed by 203.0.113.0/24" if in_force and "203.0.113.0/24" in in_force.v4 else "Not allowed"
    assert f"Not banned · {allowed} · checked just now" in text
    hits = found(keeper, "203.0.113.9")["Address"]
    assert hits[1:] == [(f"{here}&q={STAGING}", "parcel-tracking-staging"), (f"{here}&q={TRACKING}", "parcel-tracking")]
    assert "Address" not in found(keeper, "203.0.113")


def test_changes_are_found_by_their_day_in_the_time_zone_of_the_reader(keeper: PageClient) -> None:
    keeper.cookies["pilothouse_zone"] = "Pacific/Kiritimati"
    yesterday = timezone.now().astimezone(ZoneInfo("Pacific/Kiritimati")).date() - timedelta(days=1)
    assert (f"/journal/?since={yesterday}&until={yesterday}", "Changes yesterday") in found(keeper, "changes yesterday")[
        "Activity"
    ]
    assert found(keeper, "last 7 days")["Activity"][0][1] == "Changes last 7 days"


def test_functions_secret_names_and_buckets_are_found_once_they_were_read(keeper: PageClient) -> None:
    wanted = {
        "Functions": (
            "print-l",
            reverse("functions:index", args=[TRACKING]),
            reverse("functions:show", args=[TRACKING, "print-label"]),
        ),
        "Secrets": (
            "smtp_h",
            reverse("secrets:index", args=[TRACKING]),
            reverse("secrets:index", args=[TRACKING]) + "?q=SMTP_HOST",
        ),
        "Buckets": ("handb", reverse("buckets:index", args=[TRACKING]), reverse("objects:index", args=[TRACKING, "handbook"])),
    }
    LastKnown.objects.exclude(operation="M1").delete()
    for kind, (text, page, href) in wanted.items():
        assert kind not in found(keeper, text)
        keeper.get(page)
        assert href in dict(found(keeper, text)[kind]), kind
    for text in ("handbook", "bucket handbook"):
        assert found(keeper, text)["Buckets"][0][0] == wanted["Buckets"][2]


def test_another_persons_token_shows_nothing_of_what_mine_read(keeper: PageClient, service: Sandbox) -> None:
    keeper.get(reverse("secrets:index", args=[TRACKING]))
    assert found(keeper, "smtp_host")["Secrets"]
    other = Person.objects.create(email="other@example.org")
    assert found(client_of(other), "smtp_host") == {}
    assert found(client_of(other), "parcel") == {}


def test_indexed_objects_are_found_by_the_beginning_and_then_by_a_part_of_the_name(keeper: PageClient, owner: Person) -> None:
    index(owner, TRACKING, "handbook", "a/report-old.pdf", "b/Annual-Report.pdf", "notes.txt", "report.md")
    hits = found(keeper, "REPORT")["Files"]
    assert [name for _, name in hits] == ["report-old.pdf", "report.md", "Annual-Report.pdf"]
    place = reverse("objects:index", args=[TRACKING, "handbook"])
    assert hits[0][0] == f"{place}?path=a%2F&open=a%2Freport-old.pdf"


def test_share_and_a_name_lead_to_the_form_of_that_file(keeper: PageClient, owner: Person) -> None:
    index(owner, TRACKING, "handbook", "procedures/damaged-parcels.md")
    [(address, name)] = found(keeper, "Share damaged")["Share"]
    assert name == "Share damaged-parcels.md"
    assert address == f"{reverse('sharing:new', args=[TRACKING, 'handbook'])}?key=procedures%2Fdamaged-parcels.md"
    assert "Share damaged-parcels.md" in keeper.get(address).text
    assert "Share" not in found(keeper, "share")


def test_an_index_of_another_token_finds_nothing(keeper: PageClient, owner: Person, service: Sandbox) -> None:
    index(owner, TRACKING, "handbook", "only-mine.pdf")
    other = Person.objects.create(email="other@example.org")
    hold(other, service.personal_token)
    hold(other, service.storage_tokens[TRACKING]["anon"], TRACKING)
    assert "Files" not in found(client_of(other), "only-mine")


def test_links_people_and_activity_are_found(keeper: PageClient, owner: Person) -> None:
    Share.objects.create(
        owner=owner,
        space=TRACKING,
        bucket="handbook",
        code_digest="x",
        sealed_code=SEALED,
        note="For the printers",
        ends_at=timezone.now(),
    )
    zoe = Person.objects.create(email="zoe@example.org", name="Zoe")
    with record(person_id=owner.pk, operation="M7", target="secret OLD_TOKEN", place=TRACKING):
        pass
    assert found(keeper, "printers")["Links"][0][1] == "For the printers"
    assert found(keeper, "zoe")["People"] == [(reverse("people:person", args=[zoe.pk]), "Zoe")]
    assert "OLD_TOKEN" in found(keeper, "OLD_TOKEN")["Activity"][0][1]


def test_only_administrators_find_people_by_address_and_see_it(keeper: PageClient, owner: Person) -> None:
    zoe = Person.objects.create(email="zoe@example.org", name="Quinn", role=Role.OPERATOR)
    nameless = Person.objects.create(email="abe@example.org")
    address = {"q": "quinn"}
    assert "zoe@example.org" in keeper.get(reverse("palette:index"), address).text
    assert found(keeper, "zoe@")["People"] == [(reverse("people:person", args=[zoe.pk]), "Quinn")]
    client = client_of(Person.objects.create(email="ann@example.org", name="Ann", role=Role.OPERATOR))
    assert "Quinn" in client.get(reverse("palette:index"), address).text
    assert "zoe@example.org" not in client.get(reverse("palette:index"), address).text
    assert "People" not in found(client, "zoe@")
    assert "People" not in found(client, "abe@")
    assert found(keeper, "abe@")["People"] == [(reverse("people:person", args=[nameless.pk]), "abe@example.org")]


def test_giving_access_to_somebody_leads_to_the_form_with_their_name(keeper: PageClient, owner: Person) -> None:
    nora = Person.objects.create(email="nora@example.org", name="Nora Newcomer")
    way = f"{reverse('access:new')}?person={nora.pk}"
    for text in ("give access nora", "Give access to Nora New"):
        assert found(keeper, text)["Access"] == [(way, "Give access to Nora Newcomer")]
    assert "Access" not in found(keeper, f"give access {owner.name}"), "to oneself"
    assert "Access" not in found(client_of(nora), "give access olga"), "without a token"


def test_the_palette_calls_no_service_once_the_projects_are_known(keeper: PageClient, calls: Calls, faults: Faults) -> None:
    calls()
    for text in ("", "secrets", "handbook", "no such thing"):
        found(keeper, text)
    assert calls() == []


def test_without_script_search_is_a_page(keeper: PageClient) -> None:
    link = re.search(r'class="top__search" href="([^"]+)"', keeper.get("/people/").text)
    assert link
    assert re.search(r'<form[^>]* action="/search/"[^>]*>(?:(?!</form>).)*name="q"', keeper.get(link[1]).text, re.DOTALL)
    page = keeper.get("/search/", {"q": "deploy function staging"}).text
    assert (reverse("functions:new", args=[STAGING]), "Deploy a function to parcel-tracking-staging") in HIT.findall(page)


def test_without_a_match_it_says_so(keeper: PageClient) -> None:
    assert "Nothing found" in keeper.get(reverse("palette:index"), {"q": "zzz no such thing"}).text


def test_it_says_that_projects_are_missing_where_the_service_did_not_list_them(as_keeper: PageClient, faults: Faults) -> None:
    faults("M1", status=500)
    page = as_keeper.get(reverse("palette:index"), {"q": "parcel"}).text
    assert "Nothing found. The service didn&#x27;t list the projects." in page


def test_a_name_is_looked_up_in_its_index(keeper: PageClient, owner: Person) -> None:
    """The plan of the query that runs over a million rows: a search in the index of names, no scan and no sorting."""
    index(owner, TRACKING, "handbook", *(f"{number}.txt" for number in range(50)))
    with CaptureQueriesContext(connection) as captured:
        found(keeper, "4")
    query = next(one["sql"] for one in captured.captured_queries if "catalog_indexed" in one["sql"] and ">=" in one["sql"])
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{query}")
        plan = " ".join(str(row) for row in cursor.fetchall())
    assert "catalog_names" in plan
    assert "TEMP B-TREE" not in plan
