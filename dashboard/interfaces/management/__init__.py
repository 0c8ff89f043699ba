"""The management interface, M1 to M25."""

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

from dashboard.interfaces.credentials import Token
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.exchange import Gate, Memory, Observer
from dashboard.interfaces.management.encryption import Encryption
from dashboard.interfaces.management.functions import Functions
from dashboard.interfaces.management.hostname import Hostname
from dashboard.interfaces.management.network import Network
from dashboard.interfaces.management.organizations import Organizations
from dashboard.interfaces.management.projects import Projects
from dashboard.interfaces.management.secrets import Secrets
from dashboard.interfaces.management.types import Types
from dashboard.interfaces.operations import Timing
from dashboard.interfaces.transport import Answer, Ask, Guard, ObjectStream, Transport

T = TypeVar("T")


class Routed(Transport):
    """Choose a transport for each operation by `route`. If it names several, join their lists; those that fail are left out.

    If all fail, the first failure is raised.
    """

    def __init__(self, route: Callable[[Ask], Sequence[Transport]]) -> None:
        self._route = route

    def fetch(self, ask: Ask, shape: type[T], *, otherwise: Callable[[Answer], T] | None = None) -> T:
        first, *others = self._route(ask)
        if not others:
            return first.fetch(ask, shape, otherwise=otherwise)
        found: dict[str, Any] = {}
        failures: list[InterfaceError] = []
        for transport in (first, *others):
            try:
                for row in transport.fetch(ask, shape):  # type: ignore[attr-defined] # M1 and M3 return lists
                    found.setdefault(row.id, row)
            except InterfaceError as failure:
                failures.append(failure)
        if len(failures) > len(others):
            raise failures[0]
        return list(found.values())  # type: ignore[return-value] # as above

    def answer(self, ask: Ask) -> Answer:
        return self._route(ask)[0].answer(ask)

    def open(self, ask: Ask) -> ObjectStream:
        return self._route(ask)[0].open(ask)


class ManagementInterface:
    """All management operations at one address with one personal token.

    Every method raises an `InterfaceError` and nothing else. TokenRefused, NotAllowed, SlowDown, Broken, Unreachable, TimedOut
    (reads), UnknownOutcome (writes) and Unexpected can come from any of them; the docstrings name the others.
    """

    def __init__(
        self,
        address: str,
        token: Token,
        *,
        observer: Observer | None = None,
        gate: Gate | None = None,
        memory: Memory | None = None,
        guard: Guard | None = None,
        timing: Timing | None = None,
    ) -> None:
        self._use(Transport(address, token, observer=observer, gate=gate, memory=memory, guard=guard, timing=timing))

    @classmethod
    def over(cls, transport: Transport) -> Self:
        """Return the interface over another transport."""
        interface = cls.__new__(cls)
        cls._use(interface, transport)
        return interface

    def _use(self, transport: Transport) -> None:
        self.organizations = Organizations(transport)
        self.projects = Projects(transport)
        self.secrets = Secrets(transport)
        self.types = Types(transport)
        self.functions = Functions(transport)
        self.hostname = Hostname(transport)
        self.encryption = Encryption(transport)
        self.network = Network(transport)
