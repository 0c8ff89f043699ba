"""What pages offer to somebody who acts through a grant: what it covers, and at the rest the reason why not."""

from collections.abc import Sequence

import pytest
from django.urls import reverse

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.features.grants import Lent, lent
from tests.markup import parse
from tests.pages import PageClient
from tests.people import client_of, confirmed

__all__ = ["lent"]

OUTSIDE = "Your access doesn't cover this place."


def reasons(client: PageClient, page: str, **query: str) -> dict[str, str]:
    """The controls of a page by their words, and why each is disabled; empty if it isn't."""
    root = parse(client.get(page, query).text).root
    return {one.text or one.get("aria-label"): one.get("data-tip") for one in root.all("a", "button")}


def sections(client: PageClient, path: str) -> list[str]:
    rail = next(one for one in parse(client.get(path).text).root.all("nav") if one.get("class") == "rail")
    return [one.get("title") for one in rail.all("a") if "rail__link" in one.get("class") and one.get("title") != "Home"]


def test_through_storage_alone_a_project_shows_its_storage_only(lent: Lent) -> None:
    here = reverse("buckets:index", args=[lent.space])
    assert sections(lent.client, here) == ["Storage"]
    assert lent.client.get(reverse("projects:show", args=[lent.space])).headers["Location"] == here


def test_the_rail_shows_the_sections_that_a_grant_covers(
    ada: Person, owner: Person, management_token: StoredToken, ref: str
) -> None:
    here = reverse("projects:show", args=[ref])
    own = sections(client_of(owner), here)
    assert (own[:2], own[-1]) == (["Overview", "Storage"], "Give access"), (
        "all with one's own token, which alone can be passed on"
    )
    grants.give(owner, ref, {"management": Terms(acts=("read",), sections=("functions", "types"))}, people=[ada])
    assert sections(client_of(ada), here) == ["Overview", "Functions", "Types"]


@pytest.fixture
def through_secrets(ada: Person, owner: Person, management_token: StoredToken, ref: str) -> PageClient:
    """Ada, who reaches the secrets of one project through the owner's token."""
    grants.give(owner, ref, {"management": Terms(acts=("read",), sections=("secrets",))}, people=[ada])
    return client_of(ada)


@pytest.mark.parametrize("page", ["hostname:index", "network:bans", "network:restrictions", "functions:index"])
def test_a_page_outside_a_grant_says_so_and_blames_no_service(through_secrets: PageClient, ref: str, page: str) -> None:
    text = through_secrets.get(reverse(page, args=[ref])).text
    assert "Your access doesn&#x27;t cover this section." in text
    assert "The management service has no such item" not in text
    assert "may have been deleted" not in text


def test_lists_leave_out_what_a_grant_does_not_cover(through_secrets: PageClient, ref: str) -> None:
    overview = parse(through_secrets.get(reverse("projects:show", args=[ref])).text).root
    titles = [one.text for one in overview.all("h3") if one.get("class") == "glance__title"]
    assert titles == ["Secrets", "Buckets", "Size", "Links"]
    assert "Loading" not in overview.text
    tokens = next(one for one in overview.all("ul") if one.get("class") == "reach").text
    assert "Management token Olga Owner, who gave you access" in " ".join(tokens.split())
    hostnames = through_secrets.get(reverse("home:hostnames"), {"list": "now"}).text.partition("<tbody")[2]
    assert hostnames.count("No access</a>") == 1
    assert "data-turn" not in hostnames
    found = through_secrets.get(reverse("home:index"), {"view": "network", "list": "now"}).text
    assert found.partition("<tbody")[2].count("No access</a>") == 2
    assert "data-turn" not in found
    for section, is_found in (("Hostname", False), ("Secrets", True)):
        found = through_secrets.get(reverse("palette:index"), {"q": section}).text
        assert (reverse(f"{section.lower()}:index", args=[ref]) in found) is is_found


def test_acts_that_a_grant_leaves_out_are_disabled_and_say_so(lent: Lent) -> None:
    lent.put("inside/a.txt")
    lent.change(acts=["read", "share", "upload"])
    found = reasons(lent.client, reverse("objects:index", args=[lent.space, lent.bucket]), path="inside/")
    assert [name for name in ("Upload files", "New folder", "Share", "Copy", "Download") if found[name]] == []
    for name in ("Delete", "Move", "Rename"):
        assert found[name] == "Your access doesn't include: Delete files.", name
    assert found["Type and caching"] == "Your access doesn't include: Replace files."
    dialog = reasons(lent.client, reverse("sharing:new", args=[lent.space, lent.bucket]), key="inside/a.txt")
    assert "signed links" in dialog["Signed link · fixed until it expires"]


@pytest.mark.parametrize(("folders", "is_whole"), [(("inside/",), False), ((), True)])
def test_acts_on_more_than_a_grant_covers_are_disabled(lent: Lent, folders: Sequence[str], *, is_whole: bool) -> None:
    lent.change(folders=[f"{lent.bucket}/{folder}" for folder in folders])
    Person.objects.filter(pk=lent.ada.pk).update(role="administrator")
    buckets = reasons(lent.client, reverse("buckets:index", args=[lent.space]))
    bucket = reasons(lent.client, reverse("objects:index", args=[lent.space, lent.bucket]))
    part = "Your access covers only a part of the"
    assert buckets["New bucket"] == ("" if is_whole else f"{part} storage.")
    assert "Open by name" not in buckets, "the giver's service key lists all buckets"
    assert buckets["Settings"] == buckets["Delete"] == ("" if is_whole else f"{part} bucket.")
    assert bucket["Upload files"] == bucket["New folder"] == ("" if is_whole else OUTSIDE)


def test_files_are_not_dropped_where_they_can_not_be_stored(lent: Lent) -> None:
    address = reverse("objects:index", args=[lent.space, lent.bucket])
    for path, takes in (("", False), ("inside/", True)):
        assert ("data-uploads" in lent.client.get(address, {"path": path}).text) is takes


def test_a_storage_is_called_by_its_name_on_home(lent: Lent) -> None:
    lent.change(name="parcel-tracking")
    assert "parcel-tracking" in lent.client.get("/").text


def test_the_share_dialog_of_a_folder_offers_access_to_those_who_can_give_it(lent: Lent, owner: Person) -> None:
    lent.put("inside/a.txt")
    dialog, offer = reverse("sharing:new", args=[lent.space, lent.bucket]), "give access"
    assert offer not in lent.client.get(dialog, {"folder": "inside/"}).text
    client = confirmed(owner)
    assert offer not in client.get(dialog, {"key": "inside/a.txt"}).text
    chip = next(one for one in parse(client.get(dialog, {"folder": "inside/"}).text).root.all("a") if one.text == offer)
    form = parse(client.get(chip.get("href")).text).root
    ticked = {one.get("value") for one in form.all("input") if one.get("name") == "folders" and one.has("checked")}
    assert ticked == {f"{lent.bucket}/inside/"}
