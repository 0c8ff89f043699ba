"""A hostname walked through all five steps against the sandbox's name server, with every fault on the way served and named."""

from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import PHONE, accessible, expect_read, setup_of_hostname, verify
from tests.browser.test_uploads import check_now

# The watch looks every quarter of a minute.
PATIENCE = 60_000


def set_up(page: Page, neighbour: Neighbour, console: Console) -> tuple[str, str]:
    """Step 1 to 2: the form warns of the missing CNAME, and takes what was pasted once it is there."""
    console.expect(422, "/hostname/new/")
    name = f"walk {uuid4().hex[:8]}"
    ref, host = neighbour.project(name), f"api.{uuid4().hex[:10]}.example"
    page.goto(f"/projects/{ref}/hostname/")
    expect(page.get_by_text("No custom hostname", exact=True)).to_be_visible()
    accessible(page)
    setup_of_hostname(page).click()
    dialog = page.locator("dialog")
    expect(dialog.get_by_text("Set up anyway")).to_be_visible()
    dialog.get_by_label("Hostname").fill(f"https://{host.upper()}/")
    dialog.get_by_role("button", name="Set up hostname").click()
    expect(dialog.get_by_text("isn't correct (missing)")).to_be_visible()
    neighbour.publish(host, "CNAME", f"{ref}.supabase.co")
    dialog.get_by_role("button", name="Set up hostname").click()
    expect(dialog).to_be_hidden()
    expect(step(page)).to_contain_text("Verify ownership")
    return ref, host


def step(page: Page) -> Locator:
    return page.locator("[aria-current=step]")


def record(page: Page, purpose: str) -> Locator:
    return page.locator("section.record").filter(has=page.get_by_text(purpose, exact=True))


def look_up(page: Page) -> None:
    with page.expect_response(lambda answer: "hostname/?zone=" in answer.url):
        page.get_by_role("link", name="Check DNS again").click()


def value_of(page: Page, purpose: str) -> str:
    return record(page, purpose).locator(".record__part--value code").inner_text()


def serve_and_name(page: Page, neighbour: Neighbour, ref: str, host: str) -> None:
    """Each of the doctor's faults."""
    zone = host.partition(".")[2]
    proof, challenge = f"_cf-custom-hostname.{host}", f"_acme-challenge.{host}"
    neighbour.publish(f"{proof}.{zone}", "TXT", value_of(page, "Ownership"))
    neighbour.publish(challenge, "TXT", "an old value")
    neighbour.publish(host, "MX", "10 mail.example.", beside=True)
    neighbour.publish(zone, "CAA", '0 issue "other-issuer.example"')
    look_up(page)
    expect(record(page, "Ownership")).to_contain_text("Zone name doubled")
    expect(record(page, "Certificate")).to_contain_text("Wrong value")
    expect(record(page, "Certificate")).to_contain_text("an old value")
    expect(record(page, "Traffic")).to_contain_text("CNAME beside another type")
    expect(record(page, "Issuer")).to_contain_text("CAA forbids the issuer")
    accessible(page)

    neighbour.remove(f"{proof}.{zone}")
    neighbour.remove(challenge)
    neighbour.remove(host)
    neighbour.publish(host, "A", "192.0.2.1")
    neighbour.remove(zone, type="CAA")
    look_up(page)
    expect(record(page, "Ownership")).to_contain_text("Missing")
    expect(record(page, "Traffic")).to_contain_text("Address instead of CNAME")
    expect(record(page, "Issuer")).to_have_count(0)

    neighbour.post("/_dns", {"action": "break", "name": host, "how": "servfail"})
    look_up(page)
    expect(record(page, "Traffic")).to_contain_text("Unknown")
    neighbour.post("/_dns", {"action": "mend", "name": host})
    neighbour.remove(host)
    neighbour.publish(host, "CNAME", f"{ref}.supabase.co")


def test_without_script_nothing_pretends_to_look(open_page: NewPage) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/projects/pwgxlsnvjtaeoqkdhbfm/hostname/")
    expect(record(page, "Traffic").get_by_text("Not checked yet")).to_be_visible()
    expect(page.get_by_text("Checking").filter(visible=True)).to_have_count(0)
    page.get_by_role("link", name="Check DNS again").click()
    expect(page.get_by_text("Not checked yet")).to_have_count(0)
    expect(page.get_by_text("Resolvers: 127.0.0.1")).to_be_visible()


def test_what_was_refused_before_is_not_said_beside_an_unknown_outcome(
    open_page: NewPage, neighbour: Neighbour, console: Console
) -> None:
    page = open_page(viewport=PHONE)
    ref, host = neighbour.project(f"walk {uuid4().hex[:8]}"), f"api.{uuid4().hex[:10]}.example"
    neighbour.publish(host, "CNAME", f"{ref}.supabase.co")
    page.goto(f"/projects/{ref}/hostname/")
    setup_of_hostname(page).click()
    dialog = page.locator("dialog")
    console.expect(422, "/hostname/new/")
    dialog.get_by_label("Hostname").fill("localhost")
    dialog.get_by_role("button", name="Set up hostname").click()
    expect(dialog.get_by_text("Enter the full name")).to_be_visible()
    dialog.get_by_label("Hostname").fill(host)
    with neighbour.failing("M17", cut="before"):
        dialog.get_by_role("button", name="Set up hostname").click()
        expect(dialog.get_by_text("The outcome is unknown")).to_be_in_viewport()
    expect(dialog.get_by_text("Enter the full name")).to_have_count(0)
    expect(dialog.locator("#dialog-alert")).to_be_focused()
    accessible(page)
    # The outcome is known before the next test.
    neighbour.post(f"/v1/projects/{ref}/custom-hostname/initialize", {"custom_hostname": host})
    check_now(page)


def test_a_hostname_walks_through_all_five_steps(open_page: NewPage, neighbour: Neighbour, console: Console) -> None:
    page = open_page(viewport={"width": 1280, "height": 900})
    ref, host = set_up(page, neighbour, console)
    expect(page.locator("#hostname-watch")).to_contain_text("Checking automatically")
    verify(page)
    expect(record(page, "Certificate")).to_be_visible()
    expect(record(page, "Traffic")).to_have_count(0)
    page.get_by_text("Finished records").click()
    expect(page.locator(".seen__row--record")).to_contain_text("Correct")
    serve_and_name(page, neighbour, ref, host)

    ownership, certificate = value_of(page, "Ownership"), value_of(page, "Certificate")
    neighbour.publish(f"_acme-challenge.{host}", "TXT", certificate)
    neighbour.publish(f"_cf-custom-hostname.{host}", "TXT", ownership)
    expect(step(page)).to_contain_text("Certificate", timeout=PATIENCE)
    page.get_by_text("Finished records").click()
    # The watch may look between the two, so that its next look finds the other.
    for purpose in ("Ownership", "Certificate"):
        expect(page.locator(".seen__row--record").filter(has_text=purpose)).to_contain_text("Verified", timeout=PATIENCE)
    page.get_by_role("button", name="Stop checking").click()
    expect(page.get_by_role("button", name="Check automatically")).to_be_visible()
    verify(page)
    expect(step(page)).to_contain_text("Activate")

    page.get_by_role("link", name="Activate hostname").click()
    dialog = page.locator("dialog")
    console.expect(422, "/hostname/activation/")
    dialog.get_by_role("button", name=f"Activate {host}").click()
    expect(dialog.get_by_text("Confirm this point.").first).to_be_visible()
    accessible(page)
    for box in dialog.get_by_role("checkbox").all():
        box.check()
    dialog.get_by_role("button", name=f"Activate {host}").click()
    expect(dialog).to_be_hidden()
    expect(step(page)).to_contain_text("Active")
    accessible(page)

    page.goto("/hostnames/?list=now")
    row = page.locator(".overview__row").filter(has_text=host)
    expect(row).to_contain_text("Active")
    expect(page.locator(".overview__row").filter(has_text="Stuck").first).to_contain_text("nordlicht-logistik.example")
    expect_read(page)
    accessible(page)

    page.goto(f"/projects/{ref}/hostname/")
    page.get_by_role("button", name="More for this hostname").click()
    page.get_by_role("link", name="Delete hostname").click()
    dialog.locator("input[name=typed]").fill(host)
    dialog.get_by_role("button", name=f"Delete {host}").click()
    expect(page.get_by_role("link", name="Set up again")).to_be_visible()


@pytest.mark.exhaustive
@pytest.mark.parametrize("look", [{"viewport": PHONE}, {"color_scheme": "dark"}], ids=["phone", "dark"])
@pytest.mark.parametrize(
    "address", ["/hostnames/", "/projects/xreugplnbwsqhdvfyakt/hostname/", "/projects/ktmvqhzwrbnxpgaydcle/hostname/"]
)
def test_the_pages_are_accessible_in_every_look(open_page: NewPage, address: str, look: dict[str, object]) -> None:
    page = open_page(**look)
    page.goto(address)
    page.wait_for_load_state("networkidle")
    expect(page.get_by_text("Checking DNS")).to_have_count(0)
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_everything_works_without_script(open_page: NewPage, neighbour: Neighbour) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/hostnames/?list=now")
    page.get_by_role("link", name="depot-signage", exact=True).click()
    page.get_by_role("link", name="Check DNS again").click()
    expect(record(page, "Traffic")).to_contain_text("Missing")
    page.get_by_role("button", name="Verify now").click()
    expect(page.locator("#notices")).to_contain_text("Ownership verified. The certificate isn't in place yet.")
    page.reload()
    page.get_by_role("button", name="More for this hostname").click()
    page.get_by_role("link", name="Delete hostname").click()
    page.get_by_role("link", name="Cancel").click()
    expect(step(page)).to_contain_text("Certificate")
