"""Messages that pages print on their consoles."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import ConsoleMessage, Page

REFUSED = re.compile(r"Failed to load resource: the server responded with a status of (\d{3}) ")
# Typing may begin before Chromium focuses the element with autofocus.
QUICKER = "Autofocus processing was blocked because a document already has a focused element."


class Console:
    """Collects console messages: there must be none. Chromium reports refused requests, so tests name those that they cause."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self._refused: list[tuple[int, str]] = []
        self._expected: list[tuple[int, re.Pattern[str]]] = []
        self._allowed: list[re.Pattern[str]] = []

    def listen(self, page: Page) -> None:
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))

    def expect(self, status: int, path: str) -> None:
        """Expect at least one refusal with this status of a path that ends so (a regular expression)."""
        self._expected.append((status, re.compile(f"{path}$")))

    def allow(self, words: str) -> None:
        """Allow messages that match (a regular expression)."""
        self._allowed.append(re.compile(words, re.DOTALL))

    def check(self) -> None:
        loud = [line for line in self.said if not any(words.match(line) for words in self._allowed)]
        loud += [f"refused: {status} {path}" for status, path in self._refused if not self._is_expected(status, path)]
        loud += [
            f"not refused: {status} {end.pattern}"
            for status, end in self._expected
            if not any(met == status and end.search(path) for met, path in self._refused)
        ]
        assert not loud, "\n".join(loud)

    def _is_expected(self, status: int, path: str) -> bool:
        return any(status == expected and end.search(path) for expected, end in self._expected)

    def _hear(self, message: ConsoleMessage) -> None:
        address = str(message.location.get("url", ""))
        if refused := REFUSED.match(message.text):
            self._refused.append((int(refused[1]), urlsplit(address).path))
        elif message.text != QUICKER:
            self.said.append(f"{message.type}: {message.text} ({address})")


@pytest.fixture
def console() -> Iterator[Console]:
    heard = Console()
    yield heard
    heard.check()
