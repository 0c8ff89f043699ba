"""Reviews of lists of restrictions, as a person would use them."""

import re
from dataclasses import dataclass
from typing import Any

from tests.features.network.desk import HOME, TRACKING, Desk, from_address
from tests.pages import PageClient

READ = f"GET /v1/projects/{TRACKING}/network-restrictions"
APPLY = f"POST /v1/projects/{TRACKING}/network-restrictions/apply"
MORE = "203.0.113.0/24 # office\n198.51.100.17\n192.0.2.0/24\n2001:db8:4f::/48"


def seen_in(text: str) -> dict[str, str]:
    """Return the hidden field of a page's form: the list on which it is based."""
    return dict(re.findall(r'<input type="hidden" name="(seen)" value="([^"]*)"', text))


def text_in(page: str) -> str:
    area = re.search(r'<textarea[^>]*name="text"[^>]*>\s?(.*?)</textarea>', page, flags=re.DOTALL)
    assert area
    return area[1]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A review as shown to one address."""

    client: PageClient
    href: str
    headers: dict[str, str]

    @property
    def page(self) -> str:
        answer = self.client.get(self.href, headers=self.headers)
        assert answer.status_code == 200
        return str(answer.text)

    def apply(self, page: str = "", **typed: str) -> Any:
        """Apply what `page` shows, or what the review shows now."""
        return self.client.post(self.href, {**seen_in(page or self.page), **typed}, headers=self.headers)


def begun(client: PageClient, answer: Any, address: str = HOME) -> Reviewed:
    """Return the review that an answer leads to."""
    assert answer.status_code == 303
    return Reviewed(client, answer["Location"], from_address(address))


def reviewed(client: PageClient, desk: Desk, text: str, *, address: str = HOME) -> Reviewed:
    """Return a review begun from the editor as it is now."""
    editor = client.get(desk.address("restrictions")).text
    return begun(client, client.post(desk.address("plan"), {**seen_in(editor), "text": text}), address)


def restored(client: PageClient, desk: Desk, of: str, ref: str = TRACKING, *, address: str = HOME) -> Reviewed:
    """Return a review of a list that the service or the history has."""
    return begun(client, client.post(desk.address("plan", ref), {"of": of}), address)
