"""Send messages to the team's channels by Apprise. Each names the project, the event and its object, and has a link."""

from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings

from dashboard.notifications import kinds
from dashboard.notifications.addresses import shown
from dashboard.notifications.attempts import Attempt, Refused, Unsent
from dashboard.notifications.models import EMAIL, Delivery
from dashboard.vault.lookup import digest
from dashboard.web.http.requests import message_address

if TYPE_CHECKING:
    from apprise import Apprise

CONNECT_SECONDS, READ_SECONDS = 5.0, 10.0


def ids() -> list[str]:
    """Return an id for each address in NOTIFY_URLS that reveals nothing about it."""
    return list(_addresses())


def name_of(channel: str) -> str:
    """Return a channel's name on pages."""
    if channel == EMAIL:
        return "E-mail"
    address = _addresses().get(channel)
    return shown(address) if address else "A channel that is no longer configured"


def unusable() -> list[str]:
    """Return the names of the channels whose addresses are not valid for their service. Sends nothing."""
    return [shown(address) for address in _addresses().values() if _channel(address) is None]


def send(delivery: Delivery) -> Attempt:
    """Send a message to its channel."""
    address = _addresses().get(delivery.channel)
    if address is None:
        return Refused("The address is no longer configured.", is_final=True)
    title, body = _message(delivery)
    try:
        channel = _channel(address)
        if channel is None:
            return Unsent("The address is not valid for this service.")
        is_sent = channel.notify(title=title, body=body, body_format="text")
    except Exception as error:  # noqa: BLE001 - an error of a plugin may quote the address, which holds a secret
        return Unsent(f"{type(error).__name__} in the service's plugin.", may_have_arrived=True)
    # Apprise doesn't tell a refused request from a lost answer.
    return Attempt() if is_sent else Unsent("The service can't be reached or did not accept the message.", may_have_arrived=True)


def _message(delivery: Delivery) -> tuple[str, str]:
    row = delivery.notification
    lines = [line for line in (message_address(row.address), f"{kinds.title_of(row.kind)} · Event {delivery.event}") if line]
    if delivery.is_repeat:
        lines.append("You may have received this message before: the first attempt was interrupted.")
    return row.headline, "\n".join(lines)


def _addresses() -> dict[str, str]:
    return {digest("notification channel", address): address for address in settings.NOTIFY_URLS}


@cache
def _channel(address: str) -> "Apprise | None":
    """Return an object for this address alone, so that its result is known. None if Apprise finds the address invalid."""
    # Takes half a second and 10 MiB, so import it in the worker only.
    from apprise import Apprise, AppriseAsset, PersistentStoreMode  # noqa: PLC0415 - as above

    asset = AppriseAsset(
        app_id="Pilothouse", app_url=message_address(""), async_mode=False, storage_mode=PersistentStoreMode.MEMORY
    )
    plugin = Apprise.instantiate(address, asset=asset)
    if plugin is None:
        return None
    plugin.socket_connect_timeout, plugin.socket_read_timeout, plugin.verify_certificate = CONNECT_SECONDS, READ_SECONDS, True
    channel = Apprise(asset=asset)
    channel.add(plugin)
    return channel
