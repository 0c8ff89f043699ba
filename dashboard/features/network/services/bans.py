"""List, label and lift the bans of a project: operations M22 and M23."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from dashboard.facts.addresses import Origin, canonical
from dashboard.features.network.models import AddressLabel
from dashboard.features.network.rules.addresses import address_order
from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs.settlement import Resend, Rule, Wanted, settle
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Ban:
    """A banned address with the team's label for it."""

    address: str
    label: str
    is_yours: bool

    @property
    def family(self) -> str:
        return "IPv6" if ":" in self.address else "IPv4"


@dataclass(frozen=True, slots=True)
class Lifted:
    """The outcome of lifting bans, as read back (M22). `failure` says why reading back failed."""

    requested: tuple[str, ...]
    were_banned: tuple[str, ...]
    still_banned: tuple[str, ...] = ()
    failure: InterfaceError | None = None


def list_bans(workspace: Workspace, ref: str) -> list[str]:
    """Return the banned addresses (M22), IPv4 before IPv6, in numeric order."""
    found = {canonical(address) for address in workspace.management.network.bans(ref).banned_ipv4_addresses}
    return sorted(found, key=address_order)


def with_labels(addresses: Sequence[str], *, own: Origin) -> list[Ban]:
    labels = labels_of(addresses)
    return [Ban(address, labels.get(address, ""), is_yours=address == str(own.public)) for address in addresses]


def is_own_banned(bans: Sequence[str], own: Origin) -> bool | None:
    """Whether the client's address is banned. None for a private one, since the database sees another address."""
    return None if own.public is None else str(own.public) in bans


def labels_of(addresses: Sequence[str]) -> dict[str, str]:
    return dict(AddressLabel.objects.filter(address__in=addresses).values_list("address", "label"))


def label_address(address: str, label: str) -> None:
    """Label an address for the whole team; an empty label removes it."""
    if not label:
        AddressLabel.objects.filter(address=address).delete()
        return
    with transaction.atomic():
        AddressLabel.objects.update_or_create(address=address, defaults={"label": label, "changed_at": timezone.now()})


def lift_bans(workspace: Workspace, ref: str, addresses: Sequence[str]) -> Lifted:
    """Lift bans (M23) and read the list back (M22).

    Also reads the list before, so that the journal and the person learn which addresses were banned.
    """
    requested, before = tuple(addresses), list_bans(workspace, ref)
    banned = tuple(address for address in requested if address in before)
    with settle(
        workspace,
        "M23",
        # The number of bans, not of addresses: the activity says how many were lifted.
        target=banned[0] if len(banned) == 1 else f"{len(banned)} addresses",
        place=ref,
        before={"banned": list(banned)},
        wanted={"addresses": list(requested)},
        touches=[ban_of(address) for address in requested],
    ) as change:
        change.after = {"requested": list(requested)}
        workspace.management.network.unban(ref, requested)
        try:
            after = list_bans(workspace, ref)
        except InterfaceError as failure:
            return Lifted(requested, banned, failure=failure)
        still = tuple(address for address in requested if address in after)
        change.after = {"banned": list(still)} | ({} if requested == banned else change.after)
        return Lifted(requested, banned, still)
    # The answer was lost, but reading back shows that none of them is banned.
    return Lifted(requested, banned)


def ban_of(address: str) -> str:
    """Return the name by which settlement knows the lifting of this ban."""
    return f"ban of {address}"


def read_back(workspace: Workspace, ref: str, _wanted: Wanted) -> list[str]:
    return list_bans(workspace, ref)


def are_lifted(bans: Sequence[str], wanted: Wanted) -> bool:
    return not set(bans) & set(wanted["addresses"])


def before_in(bans: Sequence[str], wanted: Wanted) -> dict[str, list[str]]:
    return {"banned": [address for address in wanted["addresses"] if address in bans]}


def lift_again(workspace: Workspace, ref: str, kept: Wanted) -> None:
    """Send the lifting of bans again (only M23)."""
    workspace.management.network.unban(ref, kept["addresses"])


def is_banned(workspace: Workspace, ref: str, address: str) -> bool | None:
    """Whether an address is banned (M22); None if that can't be read, as it is shown beside something else."""
    try:
        return address in list_bans(workspace, ref)
    except InterfaceError:
        return None


RULES = (Rule("M23", read_back, are_lifted, resend=Resend(before_in, lift_again)),)
