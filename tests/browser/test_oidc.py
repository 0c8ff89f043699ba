"""Sign-in and a confirmation at an OpenID Connect provider, in Chromium."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.console import Console
from tests.browser.steps import accessible
from tests.launch.command import Started, starting
from tests.team.oidc_provider import CLIENT_ID, CLIENT_SECRET, Provider


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider().running() as running:
        running.account["email"] = "owner@localhost"
        yield running


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[Started]:
    """One of its own, with the provider. Its owner never gets a password."""
    oidc = {"OIDC_ISSUER": provider.issuer, "OIDC_CLIENT_ID": CLIENT_ID, "OIDC_CLIENT_SECRET": CLIENT_SECRET}
    data = tmp_path_factory.mktemp("oidc") / "data"
    with starting(data, MANAGEMENT_URL="http://127.0.0.1:9", OIDC_LABEL="Example ID", **oidc) as started:
        yield started.wait_until_ready()


def sign_in_there(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Provider")
    page.get_by_role("button", name="Sign in there").click()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_people_sign_in_and_confirm_at_the_provider(
    installation: Started, provider: Provider, browser: Browser, console: Console, *, script: bool
) -> None:
    context = browser.new_context(
        base_url=installation.address,
        reduced_motion="reduce",
        viewport={"width": 1280, "height": 900},
        java_script_enabled=script,
    )
    context.set_default_timeout(20_000)
    page = context.new_page()
    console.listen(page)
    page.goto("/account/login/?next=/people/")
    if script:
        accessible(page)
    page.get_by_role("button", name="Sign in with Example ID").click()
    sign_in_there(page)
    page.wait_for_url(f"{installation.address}/people/")

    # Signed in there is not signed in anew: the provider asks again.
    page.get_by_role("link", name="Add person").click()
    if script:
        expect(page.get_by_role("dialog").get_by_role("heading")).to_have_text("Confirm it's you")
        accessible(page)
    page.get_by_role("button", name="Confirm with Example ID").click()
    sign_in_there(page)
    page.wait_for_url(f"{installation.address}/team/new/")
    page.get_by_label("E-mail address").fill(f"new-{'with' if script else 'without'}@example.org")
    page.get_by_role("button", name="Add person").click()
    expect(page.get_by_role("heading", name=re.compile("new-.*@example.org added"))).to_be_visible()
    assert [asked.get("max_age") for asked in provider.asked][-2:] == [None, "0"]

    page.goto("/account/sign-in/")
    expect(page.get_by_role("link", name="Disconnect")).to_be_visible()
    if script:
        accessible(page)
    context.close()
