"""A slow mail server: it delivers nothing until it is released."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

sent: list[str] = []
_open = Event()


class Slow(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        assert _open.wait(30)
        sent.extend(mail.to[0] for mail in email_messages)
        return len(email_messages)


@contextmanager
def held() -> Iterator[None]:
    sent.clear()
    _open.clear()
    try:
        yield
    finally:
        _open.set()
