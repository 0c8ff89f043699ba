"""The object storage interface, S1 to S21."""

from dashboard.interfaces.credentials import Placement, Token
from dashboard.interfaces.exchange import Gate, Memory, Observer
from dashboard.interfaces.operations import Timing
from dashboard.interfaces.storage.buckets import Buckets
from dashboard.interfaces.storage.objects import Objects
from dashboard.interfaces.storage.signed_links import Signing
from dashboard.interfaces.transport import Guard, Transport


class StorageInterface:
    """All storage operations at one address with one storage token.

    `address` includes a path on most services ("https://x.example/storage/v1"). `placement` says where the token goes: today's
    service reads the header, the document requires the query. Errors as in `ManagementInterface`.
    """

    def __init__(
        self,
        address: str,
        token: Token,
        *,
        placement: Placement = Placement.HEADER,
        observer: Observer | None = None,
        gate: Gate | None = None,
        memory: Memory | None = None,
        guard: Guard | None = None,
        timing: Timing | None = None,
    ) -> None:
        transport = Transport(
            address, token, placement=placement, observer=observer, gate=gate, memory=memory, guard=guard, timing=timing
        )
        self.address = transport.address
        self.buckets = Buckets(transport)
        self.objects = Objects(transport)
        self.signing = Signing(transport)
