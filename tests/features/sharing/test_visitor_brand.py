"""The team's name, colour and logo on the pages of links, and what a link and its files are called there."""

import re
from pathlib import Path

import pytest
import requests
from django.urls import reverse
from pytest_django.fixtures import Settings

from dashboard.links.models import Share
from dashboard.web.pages import brand_colour
from tests.browser.steps import png
from tests.features.sharing.conftest import Desk
from tests.house.colours import contrast, themes

COLOURS = ("#000000", "#ffffff", "#ffcc00", "#0b6e99", "#ff0000", "#7f7f7f", "#00ff00")
GROUNDS = ("--paper", "--rail", "--raised", "--hover", "--sunken")


def test_the_page_shows_the_teams_name_and_logo_and_fetches_nothing_from_strangers(
    desk: Desk, settings: Settings, tmp_path: Path
) -> None:
    logo = tmp_path / "logo.png"
    logo.write_bytes(png())
    settings.SHARE_TITLE, settings.SHARE_COLOR, settings.SHARE_LOGO = "Nordlicht & Co", "#0b6e99", str(logo)
    desk.put("a.txt")
    _, path = desk.share("a.txt")
    for address in (path, "/l/" + "A" * 22):
        page = desk.visitor.get(address).text
        assert "Nordlicht &amp; Co" in page
        assert "Pilothouse" not in page
        fetched = re.findall(r'(?:href|src)="([^"#]+)"', page)
        assert all(one.startswith(("/static/", "/appearance/", "/l/")) for one in fetched), fetched
    (address,) = re.findall(r'<img class="shared__logo" src="([^"]+)"', page)
    answer = desk.visitor.get(address)
    assert (answer.content, answer["Content-Type"]) == (png(), "image/png")
    assert "sandbox" in answer["Content-Security-Policy"]


def test_without_these_settings_it_is_called_pilothouse(desk: Desk) -> None:
    desk.put("a.txt")
    page = desk.visitor.get(desk.share("a.txt")[1]).text
    assert "Pilothouse" in page
    assert "brand.css" not in page
    for name in ("brand_sheet", "brand_logo"):
        assert desk.visitor.get(reverse(f"web:{name}")).status_code == 404


@pytest.mark.parametrize("colour", COLOURS)
def test_every_colour_is_made_readable_on_every_ground_of_both_themes(colour: str) -> None:
    found = re.search(r"--accent-ink: light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", brand_colour.sheet(colour))
    assert found
    for shade, theme in zip(found.groups(), ("light", "dark"), strict=True):
        luminance = brand_colour.contrast(brand_colour.read(shade), (0.0, 0.0, 0.0))
        for ground in GROUNDS:
            other = contrast(themes()[theme][ground], (0.0, 0.0, 0.0))
            assert max(luminance, other) / min(luminance, other) >= 4.5, (colour, theme, ground)


def test_a_download_is_saved_under_the_name_of_its_link(desk: Desk) -> None:
    desk.put("v7 final.txt", body=b"the offer")
    fields = {"life": "3600", "landing": "page", "download_name": "Offer"}
    assert desk.client.post(f"{desk.address()}?key=v7+final.txt", fields).status_code == 200
    path = f"/l/{share_code(desk)}"
    page = desk.visitor.get(path).text
    assert ">Offer.txt<" in page
    assert "final" not in page
    got = requests.get(desk.visitor.get(f"{path}/file")["Location"], timeout=10)
    assert "Offer.txt" in got.headers["Content-Disposition"]
    edit = reverse("sharing:edit", args=(Share.objects.get().pk,))
    assert 'value="Offer"' in desk.client.get(edit).text
    desk.client.post(edit, {"life": "keep", "landing": "page", "download_name": "Plan.md"})
    got = requests.get(desk.visitor.get(f"{path}/file")["Location"], timeout=10)
    assert "Plan.md" in got.headers["Content-Disposition"]


def test_a_zip_is_saved_under_the_name_of_its_link(desk: Desk) -> None:
    desk.put("in/a.txt", "in/b.txt")
    _, path = desk.share(folders=("in/",), download_name="Fair 2026.zip")
    assert 'filename="Fair 2026.zip"' in desk.visitor.get(f"{path}/all")["Content-Disposition"]


def test_a_download_name_has_no_slashes(desk: Desk) -> None:
    fields = {"life": "3600", "landing": "page", "download_name": "../a"}
    answer = desk.client.post(f"{desk.address()}?key=a.txt", fields)
    assert (answer.status_code, "no slashes" in answer.text) == (422, True)


def share_code(desk: Desk) -> str:
    found = re.search(r"/l/([\w-]{22})", desk.client.get(reverse("sharing:ledger")).text)
    assert found
    return found[1]
