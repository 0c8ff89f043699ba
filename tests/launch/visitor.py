"""A person without a browser: follows the link that `start` printed, chooses a password, signs in."""

import re
from html import unescape

import requests

PASSWORD = "seven kind otters row north"


class Visitor:
    def __init__(self, address: str) -> None:
        self.address = address
        self.session = requests.Session()
        self.session.trust_env = False

    def __enter__(self) -> "Visitor":
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def get(self, address: str) -> requests.Response:
        return self.session.get(address if address.startswith("http") else self.address + address, timeout=20)

    def submit(self, page: requests.Response, **typed: str | list[str]) -> requests.Response:
        """Send the page's form that has these fields, as a browser would."""
        form = next(
            form
            for form in re.findall(r"<form.*?</form>", page.text, re.DOTALL)
            if all(f'name="{name}"' in form for name in typed)
        )
        hidden = re.findall(r'<input[^>]*type="hidden"[^>]*>', form)
        fields = {_attribute(field, "name"): _attribute(field, "value") for field in hidden}
        action = _attribute(form.partition(">")[0], "action") or page.url
        target = action if action.startswith("http") else self.address + action
        return self.session.post(target, {**fields, **typed}, headers={"Referer": page.url}, timeout=20)

    def post(self, path: str, **fields: str) -> requests.Response:
        """Send fields without looking at the form."""
        fields["csrfmiddlewaretoken"] = self.session.cookies["pilothouse_csrf"]
        return self.session.post(self.address + path, fields, headers={"Referer": self.address + path}, timeout=20)

    def enter_by(self, link: str) -> requests.Response:
        """Choose a password behind a one-time link."""
        return self.submit(self.get(link), password1=PASSWORD, password2=PASSWORD)

    def sign_in(self, email: str) -> requests.Response:
        return self.submit(self.get("/account/login/"), login=email, password=PASSWORD)


def invited(owner: Visitor, email: str) -> Visitor:
    """Return a new member of the team, who entered by the link shown to the owner."""
    visitor = Visitor(owner.address)
    visitor.enter_by(way_in(owner, email))
    return visitor


def way_in(owner: Visitor, email: str) -> str:
    """Add somebody to the team. Return the link that is shown for them."""
    page = owner.get("/team/new/")
    if "/team/new/" not in page.url.partition("?")[0]:  # Somebody who came by a link has not entered the password yet.
        page = owner.submit(page, password=PASSWORD)
    shown = owner.submit(page, email=email, role="operator")
    found = re.search(r'id="way-in"[^>]*value="([^"]*)"', shown.text)
    assert found, shown.text
    return unescape(found[1])


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf'\s{name}="([^"]*)"', tag)
    return unescape(found[1]) if found else ""
