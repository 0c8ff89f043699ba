"""HTTP transport of the two interfaces; the only package that imports `requests`.

`call.Transport` is what the operations use. `pools` keeps the sessions, `connections` and `watch` hold total deadlines,
`circuit` spares an address that is away and `budget` one that is unwell, `bodies` and `streams` carry bytes, `failures` tells
what an answer means.
"""

from dashboard.interfaces.transport.call import OMITTED, Answer, Ask, Transport
from dashboard.interfaces.transport.streams import ObjectStream

__all__ = ["OMITTED", "Answer", "Ask", "ObjectStream", "Transport"]
