"""A colleague works in one folder through the owner's key, which they never get: from the invitation to its revocation."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from dashboard.interfaces import StorageInterface
from tests.browser.console import Console
from tests.browser.steps import PHONE, accessible, cookies_of, pick, total, write
from tests.browser.test_passkeys import SIGN_IN, Device, sign_out
from tests.browser.test_recipients import Counter
from tests.launch.command import Started, starting
from tests.launch.visitor import PASSWORD, Visitor
from tests.sandboxes import Sandbox

Arrive = Callable[..., Page]

DESK: Any = {"width": 1440, "height": 900}


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Iterator[Started]:
    """A storage and nothing else."""
    data = tmp_path_factory.mktemp("grants") / "data"
    with starting(data, STORAGE_URL=sandbox.storage(next(iter(sandbox.storage_tokens)))) as started:
        yield started.wait_until_ready()


@pytest.fixture
def bucket(storage: StorageInterface) -> Iterator[str]:
    """One with `team/` and `board/`."""
    name = f"lent-{uuid4().hex[:8]}"
    storage.buckets.create(name)
    for key in ("team/plan.txt", "board/minutes.txt"):
        storage.objects.upload(name, key, b"text", content_type="text/plain")
    yield name
    storage.buckets.empty(name)
    storage.buckets.delete(name)


@pytest.fixture
def arrive(installation: Started, browser: Browser, console: Console) -> Iterator[Arrive]:
    """Somebody with a browser of their own, who follows a link and sets a password if the page asks for one."""
    contexts: list[BrowserContext] = []

    def come(link: str, **options: Any) -> Page:
        context = browser.new_context(base_url=installation.address, reduced_motion="reduce", **options)
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        console.listen(page)
        page.goto(link)
        if page.locator("[name=password1]").count():
            page.locator("[name=password1]").fill(PASSWORD)
            page.locator("[name=password2]").fill(PASSWORD)
            page.get_by_role("button", name="Set password and sign in").click()
            page.wait_for_url(f"{installation.address}/**")
        return page

    yield come
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def desk(installation: Started, browser: Browser, sandbox: Sandbox) -> Iterator[Page]:
    """The owner, who gave their password at sign-in and stores the service key."""
    assert installation.link
    with Visitor(installation.address) as newcomer, Visitor(installation.address) as visitor:
        newcomer.enter_by(installation.link)
        visitor.sign_in("owner@localhost")
        context = browser.new_context(base_url=installation.address, reduced_motion="reduce", viewport=DESK)
        context.add_cookies(cookies_of(visitor))
    context.set_default_timeout(20_000)
    page, key = context.new_page(), next(iter(sandbox.storage_tokens.values()))["service"]
    page.goto("/account/")
    page.get_by_role("link", name="Add storage token").click()
    page.get_by_role("dialog").get_by_label("Token", exact=True).fill(key)
    page.get_by_role("dialog").get_by_role("button", name="Store token").click()
    expect(page.get_by_role("row").filter(has_text=key[-4:])).to_be_visible()
    yield page
    context.close()


@pytest.fixture
def owner(desk: Page, console: Console) -> Page:
    console.listen(desk)
    return desk


def invite(page: Page, name: str, folder: str) -> str:
    """Add a colleague and let them upload and share in one folder; the link for them."""
    dialog = page.get_by_role("dialog")
    page.goto("/people/")
    page.get_by_role("link", name="Add person").click()
    dialog.locator("[name=email]").fill(f"{name.lower()}@example.org")
    dialog.locator("[name=name]").fill(name)
    accessible(page)
    dialog.get_by_role("button", name="Add person").click()
    link = dialog.get_by_label(f"Link for {name}").input_value()
    accessible(page)
    dialog.get_by_role("link", name="Give access").click()
    dialog.get_by_role("link", name="Storage").click()
    expect(page.get_by_role("checkbox", name=name)).to_be_checked()
    page.get_by_label("Bucket or folder 1").fill(folder)
    page.get_by_label("Make share links").check()
    page.get_by_label("Upload new files").check()
    page.get_by_role("button", name="Give access").click()
    expect(page.locator("#notices")).to_contain_text(f"given to {name}")
    return link


def sign_in_with_a_passkey(page: Page, device: Device) -> None:
    """Add a passkey, sign out, and sign in with it alone."""
    dialog = page.get_by_role("dialog")
    page.goto(SIGN_IN)
    page.get_by_role("link", name="Add passkey").click()
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Confirm").click()
    dialog.get_by_label("Name").fill("Laptop")
    dialog.get_by_role("button", name="Create passkey").click()
    expect(page.get_by_role("row", name="Laptop")).to_be_visible()
    assert len(device.credentials()) == 1
    sign_out(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")


def revoke(page: Page, name: str) -> None:
    """Revoke the only access that the owner gave to somebody."""
    page.goto("/access/")
    expect(page.get_by_role("row").filter(has_text=name)).to_contain_text("1 folder through you")
    accessible(page)
    page.get_by_role("link", name=name).click()
    accessible(page)
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.set_viewport_size(DESK)
    page.get_by_role("link", name=f"Revoke the access of {name}").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"{name} can no longer use Storage through your token.")
    accessible(page)
    dialog.get_by_role("button", name="Revoke access").click()
    expect(page.locator("#notices")).to_contain_text(f"Access of {name} revoked")


def test_a_colleague_works_in_one_folder_until_the_owner_revokes_it(
    owner: Page, arrive: Arrive, console: Console, bucket: str, tmp_path: Path
) -> None:
    console.allow("info: Clear-Site-Data header")
    nora = arrive(invite(owner, "Nora", f"{bucket}/team/"), viewport=DESK)
    sign_in_with_a_passkey(nora, Device(nora))

    # She sees the way to her folder, and nothing beside it.
    nora.goto("/storage/shared/")
    expect(nora.get_by_role("link", name="New bucket")).to_have_attribute("aria-disabled", "true")
    nora.goto("/")
    nora.get_by_role("link", name=bucket, exact=True).click()
    expect(nora.get_by_role("link", name="team", exact=True)).to_be_visible()
    expect(nora.get_by_role("link", name="board", exact=True)).to_have_count(0)
    expect(nora.get_by_role("link", name="Upload files")).to_have_attribute("aria-disabled", "true")
    accessible(nora)
    nora.get_by_role("link", name="team", exact=True).click()
    expect(nora.get_by_role("heading", level=1)).to_have_text("team")

    # She uploads a file and shares it; the link opens without a sign-in.
    pick(nora, *write(tmp_path, report__txt="the report"))
    total(nora, "1 of 1 stored")
    nora.get_by_role("row", name="report.txt").get_by_role("button", name="Actions").click()
    expect(nora.get_by_role("button", name="Delete", exact=False).first).to_have_attribute("aria-disabled", "true")
    nora.locator("#row-menu").get_by_role("button", name="Share", exact=True).click()
    nora.get_by_role("dialog").get_by_role("button", name="Create link", exact=True).click()
    address = nora.locator(".links__address").inner_text()
    nora.get_by_role("button", name="Done").click()
    nora.locator("upload-tray").get_by_role("button", name="Share", exact=True).click()
    expect(nora.get_by_role("heading", name="Share report.txt")).to_be_visible()
    nora.keyboard.press("Escape")
    outside = arrive(address, viewport=PHONE, color_scheme="dark")
    expect(outside.get_by_role("heading", level=1)).to_have_text("report.txt")
    with outside.expect_download() as download:
        outside.get_by_role("link", name="Download").click()
    assert Path(download.value.path()).read_text() == "the report"

    # The owner revokes: her pages and her link stop.
    revoke(owner, "Nora")
    outside.goto(address)
    expect(outside.get_by_role("heading", level=1)).to_have_text("Link no longer works")
    accessible(outside)
    nora.reload()
    expect(nora.get_by_role("main")).to_contain_text("owner@localhost revoked this access.")
    accessible(nora)
    console.expect(410, re.escape(urlsplit(address).path))


def test_a_colleague_gets_one_folder_in_five_clicks(owner: Page, bucket: str) -> None:
    invite(owner, "Otto", f"{bucket}/team/")
    revoke(owner, "Otto")
    dialog = owner.get_by_role("dialog")

    # From the menu of the folder: view is ticked, the others are not.
    owner.goto(f"/storage/shared/{bucket}/")
    click = Counter()
    click(owner.get_by_label("Actions team"))
    click(owner.locator("#row-menu").get_by_role("button", name="Give access"))
    click(dialog.get_by_role("checkbox", name="Otto"))
    assert [one.get_attribute("value") for one in dialog.locator("[name=storage_acts]:checked").all()] == ["read"]
    accessible(owner)
    click(dialog.get_by_role("button", name="Give access"))
    expect(owner.locator("#notices")).to_contain_text("given to Otto")
    assert click.made <= 5

    # From her page, where the buckets to tick stand already.
    revoke(owner, "Otto")
    owner.goto("/people/")
    owner.get_by_role("link", name="Otto").click()
    click = Counter()
    click(owner.get_by_role("link", name="Give access"))
    click(dialog.get_by_role("link", name="Storage"))
    click(owner.locator("summary").filter(has_text=bucket))
    click(owner.get_by_role("checkbox", name=f"{bucket}/team/"))
    accessible(owner)
    click(owner.get_by_role("button", name="Give access"))
    expect(owner.locator("#notices")).to_contain_text("given to Otto")
    assert click.made <= 5

    # From People, where the folder is typed.
    revoke(owner, "Otto")
    owner.goto("/people/")
    click = Counter()
    click(owner.get_by_role("link", name="Give access"))
    click(dialog.get_by_role("link", name="Storage"))
    click(owner.get_by_role("checkbox", name="Otto"))
    owner.get_by_label("Bucket or folder 1").fill(f"{bucket}/team/")
    click(owner.get_by_role("button", name="Give access"))
    expect(owner.locator("#notices")).to_contain_text("given to Otto")
    assert click.made <= 5


def test_a_colleague_brings_back_a_file_of_their_folder_from_a_snapshot(
    owner: Page, arrive: Arrive, bucket: str, storage: StorageInterface
) -> None:
    owner.goto(f"/storage/shared/{bucket}/~snapshots/")
    owner.get_by_role("button", name="Take a snapshot").click()
    expect(owner.locator("#snapshots")).to_contain_text("1 snapshot", timeout=30_000)
    pia = arrive(invite(owner, "Pia", f"{bucket}/team/"), viewport=DESK)
    storage.objects.delete_many(bucket, ["team/plan.txt", "board/minutes.txt"])

    # She sees her folder as it was, and nothing beside it.
    pia.goto(f"/storage/shared/{bucket}/?path=team/")
    pia.locator('[popovertarget="bucket-menu"]').click()
    pia.get_by_role("link", name="Snapshots", exact=True).click()
    expect(pia.get_by_role("button", name="Take a snapshot")).to_have_count(0)
    accessible(pia)
    pia.locator("#snapshots tbody a").click()
    expect(pia.get_by_role("link", name="team", exact=True)).to_be_visible()
    expect(pia.get_by_role("link", name="board", exact=True)).to_have_count(0)
    pia.get_by_role("link", name="team", exact=True).click()
    expect(pia.get_by_role("row").filter(has_text="plan.txt")).to_contain_text("Deleted since")
    accessible(pia)

    # She restores it.
    pia.get_by_role("link", name="Restore plan.txt").click()
    pia.get_by_role("dialog").get_by_role("button", name="Restore").click()
    expect(pia.locator("#notices")).to_contain_text("plan.txt restored and verified.")
    assert storage.objects.read(bucket, "team/plan.txt").read_all(100) == b"text"

    # Once her access is revoked, she sees none of it.
    as_it_was = pia.url
    revoke(owner, "Pia")
    pia.goto(as_it_was)
    expect(pia.get_by_text("plan.txt")).to_have_count(0)
    expect(pia.locator("main")).to_contain_text("revoked this access")
