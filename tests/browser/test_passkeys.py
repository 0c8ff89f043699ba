"""Passkeys in Chromium, with its virtual authenticator: made, proved at the gate, and used to sign in."""

from typing import Any

from playwright.sync_api import CDPSession, Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.steps import accessible
from tests.launch.command import Started
from tests.launch.visitor import PASSWORD, Visitor, way_in

SIGN_IN = "/account/sign-in/"
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
# The form that comes back is filled and sent in the moment in which it is there.
SENT_AGAIN = """password => document.addEventListener("htmx:afterSwap", () => queueMicrotask(() => {
  const field = document.querySelector("#dialog [type=password]");
  field.value = password;
  field.form.requestSubmit();
}), { once: true })"""


class Device:
    """The virtual authenticator of a page."""

    def __init__(self, page: Page) -> None:
        self.session: CDPSession = page.context.new_cdp_session(page)
        self.session.send("WebAuthn.enable")
        self.id = self.session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})["authenticatorId"]

    def verify(self, *, user: bool) -> None:
        self.session.send("WebAuthn.setUserVerified", {"authenticatorId": self.id, "isUserVerified": user})

    def credentials(self) -> list[Any]:
        found: list[Any] = self.session.send("WebAuthn.getCredentials", {"authenticatorId": self.id})["credentials"]
        return found


def sign_out(page: Page) -> None:
    page.goto("/account/logout/")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def confirm_password(page: Page, console: Console) -> None:
    """Once with a wrong password, then with the right one, sent as soon as the form is back."""
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Confirm your password")).to_be_visible()
    expect(dialog.locator("[name=password]")).to_be_focused()
    accessible(page)
    console.expect(422, "/account/reauthenticate/")
    dialog.locator("[name=password]").fill("not the password")
    page.evaluate(SENT_AGAIN, PASSWORD)
    dialog.get_by_role("button", name="Confirm").click()


def test_a_passkey_is_made_confirms_and_signs_in(open_page: NewPage, pilothouse: Started, console: Console) -> None:
    console.allow("info: Clear-Site-Data header")
    page = open_page(viewport={"width": 1280, "height": 900})
    page.context.clear_cookies()
    device = Device(page)
    # Somebody whose factors no other test meets.
    with Visitor(pilothouse.address) as owner:
        owner.sign_in("owner@localhost")
        page.goto(way_in(owner, "keys@example.org"))
    page.locator("[name=password1]").fill(PASSWORD)
    page.locator("[name=password2]").fill(PASSWORD)
    page.get_by_role("button", name="Set password and sign in").click()
    page.wait_for_url(lambda url: "/reset/" not in url)

    # Make one: the password is asked for first.
    page.goto(SIGN_IN)
    dialog = page.get_by_role("dialog")
    page.get_by_role("link", name="Add passkey").click()
    confirm_password(page, console)
    dialog.get_by_label("Name").fill("Laptop")
    accessible(page)
    dialog.get_by_role("button", name="Create passkey").click()
    expect(page.get_by_role("row", name="Laptop")).to_be_visible()
    expect(dialog).to_be_hidden()
    [made] = device.credentials()
    assert (made["isResidentCredential"], made["rpId"]) == (True, "localhost")
    accessible(page)

    # The same device has one passkey of an account, no second one.
    page.get_by_role("link", name="Add passkey").click()
    dialog.get_by_label("Name").fill("Laptop again")
    dialog.get_by_role("button", name="Create passkey").click()
    expect(dialog.get_by_role("alert").filter(has_text="has a passkey of this account already")).to_be_visible()

    # Sign in with it, and nothing else; that is a confirmation, too.
    sign_out(page)
    accessible(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")
    page.goto(SIGN_IN)
    page.get_by_role("link", name="Add passkey").click()
    expect(dialog.get_by_label("Name")).to_be_visible()

    # After the password it is the second step; a device that doesn't check its user proves nothing.
    sign_out(page)
    page.get_by_label("E-mail address").fill("keys@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Second step")
    accessible(page)
    device.verify(user=False)
    page.get_by_role("button", name="Use passkey").click()
    expect(page.get_by_role("alert").filter(has_text="No passkey was used")).to_be_visible()
    device.verify(user=True)
    page.get_by_role("button", name="Use passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")
