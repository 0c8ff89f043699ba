"""E-mail about a notification, with a link to unsubscribe from its kind (RFC 8058)."""

from contextlib import suppress
from datetime import timedelta
from email.utils import parseaddr
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMultiAlternatives, get_connection
from django.template.loader import render_to_string
from django.urls import reverse

from dashboard import backends
from dashboard.notifications import kinds
from dashboard.notifications.attempts import Attempt, Refused, Unsent
from dashboard.notifications.models import Delivery
from dashboard.web.http.requests import message_address

SALT = "dashboard.notifications.unsubscribe"
CODE_DAYS = 90


def is_set_up() -> bool:
    """Whether mail is configured."""
    return bool(settings.EMAIL_BACKEND != backends.DUMMY)


def send(delivery: Delivery) -> Attempt:
    """Send a message to its person."""
    message = _message(delivery)
    connection = get_connection()
    try:
        connection.open()
    except OSError as error:
        return Unsent(_words(error))
    try:
        connection.send_messages([message])
    except SMTPRecipientsRefused as refused:
        code, words = next(iter(refused.recipients.values()))
        return Refused(f"{code} {_text(words)}", is_final=code >= 500)
    except (SMTPServerDisconnected, TimeoutError, ConnectionError) as error:
        return Unsent(_words(error), may_have_arrived=True, was_cut=True)
    except OSError as error:
        return Unsent(_words(error))
    finally:
        with suppress(OSError):
            connection.close()
    return Attempt()


def unsubscribe_code(person_id: int, kind: str) -> str:
    """Return the code in the address that unsubscribes a person from a kind. It is signed."""
    return signing.dumps([person_id, kind], salt=SALT)


def subscription(code: str) -> tuple[int, kinds.Kind] | None:
    """Return the person and kind of an unsubscribe code. None if it isn't ours, has expired, or the kind is always mailed."""
    try:
        person_id, name = signing.loads(code, salt=SALT, max_age=timedelta(days=CODE_DAYS))
    except signing.BadSignature:
        return None
    kind = kinds.find(name)
    return (person_id, kind) if kind and not kind.is_security else None


def _message(delivery: Delivery) -> EmailMultiAlternatives:
    row = delivery.notification
    person, kind = row.person, kinds.find(row.kind)
    assert person is not None  # noqa: S101 - a mail is to a person
    unsubscribe = ""
    if kind and not kind.is_security:
        unsubscribe = message_address(reverse("notifications:unsubscribe", args=[unsubscribe_code(person.pk, kind.name)]))
    headline = row.headline
    context = {
        "headline": headline,
        "kind": kinds.title_of(row.kind),
        "link": message_address(row.address),
        "unsubscribe": unsubscribe,
        "is_security": kind is not None and kind.is_security,
        "is_repeat": delivery.is_repeat,
        "person": person,
    }
    headers = {"Message-ID": f"<{delivery.event}@{_domain()}>", "Auto-Submitted": "auto-generated"}
    if unsubscribe:
        headers |= {"List-Unsubscribe": f"<{unsubscribe}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    message = EmailMultiAlternatives(
        subject=headline,
        body=render_to_string("notifications/mail.txt", context),
        to=[person.email],
        headers=headers,
    )
    message.attach_alternative(render_to_string("notifications/mail.html", context), "text/html")
    return message


def _domain() -> str:
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"


def _words(error: OSError) -> str:
    """Describe the error in the server's or system's words, which contain no password."""
    words = getattr(error, "smtp_error", None)
    return _text(words) if words else error.strerror or str(error) or type(error).__name__


def _text(words: object) -> str:
    return words.decode(errors="replace") if isinstance(words, bytes) else str(words)
