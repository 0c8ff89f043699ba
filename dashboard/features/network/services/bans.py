"""Bans of one project, as a person sees and lifts them: operations M22 and M23."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from dashboard.features.network.models import AddressLabel
from dashboard.features.network.rules.addresses import canonical, known_address, order
from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs.settlement import Wanted, settle
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Row:
    """One banned address, ready to print."""

    address: str
    family: str
    label: str
    is_yours: bool
    lift_href: str
    label_href: str


@dataclass(frozen=True, slots=True)
class Yours:
    """Your own address among the bans: `banned` is None where it can't be known."""

    address: str
    banned: bool | None


@dataclass(frozen=True, slots=True)
class Lifted:
    """What became of a request to lift bans: read back (M22) where that worked, else `failure` says why not."""

    asked: tuple[str, ...]
    were_banned: tuple[str, ...]
    still_banned: tuple[str, ...]
    failure: InterfaceError | None = None


def list_bans(workspace: Workspace, ref: str) -> list[str]:
    """The banned addresses (M22), IPv4 before IPv6, by number."""
    found = {canonical(address) for address in workspace.management.network.bans(ref).banned_ipv4_addresses}
    return sorted(found, key=order)


def rows_of(ref: str, bans: Sequence[str], *, own: str) -> list[Row]:
    labels = labels_of(bans)
    lift, label = reverse("network:lift", args=[ref]), reverse("network:label", args=[ref])
    rows = []
    for address in bans:
        query = urlencode({"address": address})
        rows.append(
            Row(
                address=address,
                family="IPv6" if ":" in address else "IPv4",
                label=labels.get(address, ""),
                is_yours=address == own,
                lift_href=f"{lift}?{query}",
                label_href=f"{label}?{query}",
            )
        )
    return rows


def yours(bans: Sequence[str], client: str) -> Yours:
    """Whether the client's own address is banned; not knowable for a private or loopback one."""
    known = known_address(client)
    return Yours(address=str(known or client), banned=None if known is None else str(known) in bans)


def labels_of(addresses: Sequence[str]) -> dict[str, str]:
    return dict(AddressLabel.objects.filter(address__in=addresses).values_list("address", "label"))


def label_address(address: str, label: str) -> None:
    """Give an address a label, or take it away (an empty one)."""
    if not label:
        AddressLabel.objects.filter(address=address).delete()
        return
    with transaction.atomic():
        AddressLabel.objects.update_or_create(address=address, defaults={"label": label, "changed_at": timezone.now()})


def lift_bans(workspace: Workspace, ref: str, addresses: Sequence[str]) -> Lifted:
    """Lift bans (M23) and read back what is banned then (M22).

    The list is read before, too, so that the journal and the person learn which of them were banned.
    """
    before = list_bans(workspace, ref)
    target = addresses[0] if len(addresses) == 1 else f"{len(addresses)} addresses"
    were = tuple(address for address in addresses if address in before)
    asked = tuple(addresses)
    wanted, touches = {"addresses": list(asked)}, [ban_of(address) for address in asked]
    still: tuple[str, ...] = ()
    with settle(
        workspace, "M23", target=target, place=ref, before={"banned": list(were)}, wanted=wanted, touches=touches
    ) as change:
        change.after = {"lifted": list(asked)}
        workspace.management.network.unban(ref, asked)
        try:
            after = list_bans(workspace, ref)
        except InterfaceError as failure:
            return Lifted(asked=asked, were_banned=were, still_banned=(), failure=failure)
        still = tuple(address for address in asked if address in after)
        change.after |= {"still banned": list(still)}
    return Lifted(asked=asked, were_banned=were, still_banned=still)


def ban_of(address: str) -> str:
    """What lifting the ban of an address touches."""
    return f"ban of {address}"


def read_back(workspace: Workspace, ref: str, _wanted: Wanted) -> list[str]:
    return list_bans(workspace, ref)


def are_lifted(bans: Sequence[str], wanted: Wanted) -> bool:
    """Whether none of the addresses is banned any more."""
    return not set(bans) & set(wanted["addresses"])


def is_banned(workspace: Workspace, ref: str, address: str) -> bool | None:
    """Whether an address is banned (M22); None where the service does not say: it is only a note beside something else."""
    try:
        return address in list_bans(workspace, ref)
    except InterfaceError:
        return None
