"""Check a hostname: its state (M15), its DNS records and the certificate that it serves."""

from collections.abc import Sequence

from dashboard.features.hostname.rules.names import plain
from dashboard.features.hostname.services.certificate import read_certificate
from dashboard.features.hostname.services.checks import record_certificate
from dashboard.features.hostname.services.dns import examine
from dashboard.features.hostname.services.hostname import Memory, read, recall, remember
from dashboard.interfaces.errors import InterfaceError
from dashboard.tokens.last_known import UNANSWERED
from dashboard.tokens.sandbox import SandboxTls
from dashboard.tokens.workspace import Workspace


def inspect(workspace: Workspace, ref: str, resolvers: Sequence[str], *, sandbox: SandboxTls | None) -> Memory:
    """Check everything and save the results. DNS and certificate are checked even if the service doesn't answer."""
    try:
        memory = remember(workspace, ref, read(workspace, ref))
    except InterfaceError as failure:
        known = recall(workspace, ref) if isinstance(failure, UNANSWERED) else None
        if known is None:
            raise
        memory = known
    if memory.known.setup:
        examine(memory, resolvers)
        served = read_certificate(plain(memory.known.hostname), resolvers, sandbox=sandbox)
        record_certificate(memory.known, memory.check, served)
    return memory
