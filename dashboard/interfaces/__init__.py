"""The two HTTP interfaces of the service as a typed client library.

::

    management = ManagementInterface("https://api.example", Token("sbp_…"))
    storage = StorageInterface("https://x.example/storage/v1", Token("eyJ…"), placement=Placement.HEADER)

Both are cheap to make: connections are pooled by address, and nothing global holds a token. One method is one operation of the
document; its docstring opens with the operation's id, method and path. Every failure is an `errors.InterfaceError`.
"""

from dashboard.interfaces import errors
from dashboard.interfaces.credentials import Placement, Token
from dashboard.interfaces.exchange import Exchange, Gate, Observer
from dashboard.interfaces.management import ManagementInterface
from dashboard.interfaces.operations import Timing
from dashboard.interfaces.storage import StorageInterface
from dashboard.interfaces.transport import ObjectStream

__all__ = [
    "Exchange",
    "Gate",
    "ManagementInterface",
    "ObjectStream",
    "Observer",
    "Placement",
    "StorageInterface",
    "Timing",
    "Token",
    "errors",
]
