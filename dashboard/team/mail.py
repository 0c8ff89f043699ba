"""Mail to the team: links, sent at once in a thread so that response times reveal no addresses, and notices about accounts."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, wait
from uuid import uuid4

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse

from dashboard.notifications.delivery import deliver_next
from dashboard.notifications.outbox import notify
from dashboard.team.links import days_valid, link_of
from dashboard.team.models import Person
from dashboard.web.pages.navigation import named_page
from dashboard.web.process.parallel import later

log = logging.getLogger(__name__)

DUMMY = "django.core.mail.backends.dummy.EmailBackend"
ACCOUNT = "account"
_under_way: set[Future[None]] = set()


def mails() -> bool:
    """Return whether mail is configured."""
    return bool(settings.EMAIL_BACKEND != DUMMY)


def invite(person: Person, link: str) -> None:
    """Mail a one-time link that was also shown to the owner who made it."""
    text = f"Hello {person},\n\nset your password here (once, within {days_valid()} days):\n\n{link}\n"
    _send(person, "Your invitation to Pilothouse", lambda: text)


def reset(person: Person, base_url: str) -> None:
    """Mail a link to set a new password, requested on the sign-in page."""

    def text() -> str:
        context = {"user": person, "password_reset_url": link_of(person, base_url)}
        return render_to_string("account/email/password_reset_key_message.txt", context)

    _send(person, "Set a new Pilothouse password", text)


def unlock_code(person: Person, code: str) -> None:
    """Mail a code that unlocks the account in the session that asked for it."""
    text = (
        f"Hello {person},\n\nenter this code to unlock your Pilothouse account:\n\n{code}\n\n"
        "It works for 15 minutes, only where you asked for it. If you didn't ask, never give it to anybody.\n"
    )
    _send(person, "Unlock your Pilothouse account", lambda: text)


def tell(person: Person, sentence: str) -> None:
    """Notify a person, also by mail, of a change to their account."""
    notify(ACCOUNT, [person], title=sentence, address=named_page("tokens"), key=uuid4().hex)


def tell_owners(sentence: str) -> None:
    """Notify all owners of a change to somebody's account."""
    notify(ACCOUNT, list(Person.objects.active_owners()), title=sentence, address=reverse("people:index"), key=uuid4().hex)


def wait_for_delivery() -> None:
    """Wait until every mail has been sent or has failed. For commands, which may run without a worker."""
    wait(set(_under_way))
    while deliver_next():
        pass


def _send(person: Person, subject: str, text: Callable[[], str]) -> None:
    """Send mail in a pool thread. `text` runs there, so it can't use the database."""
    if not mails():
        return

    def deliver() -> None:
        try:
            send_mail(subject=subject, message=text(), from_email=None, recipient_list=[person.email])
        except OSError:
            log.exception("Mail not sent: %s", subject, extra={"person": person.pk})

    sending = later(deliver)
    _under_way.add(sending)
    sending.add_done_callback(_under_way.discard)
