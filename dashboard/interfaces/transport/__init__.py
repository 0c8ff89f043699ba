"""HTTP transport of the two interfaces; the only package that imports `requests`.

Operations use `call.Transport` with an `asks.Ask`. `retries` makes one attempt, over the pooled `sessions`. `connections`,
`dialer` and `watchdog` enforce total deadlines; `circuit` and `retry_budget` protect a failing service. `bodies` and `streams`
transfer bytes, and `failures` maps error answers to exceptions.
"""

from dashboard.interfaces.transport.asks import OMITTED, Answer, Ask, Guard
from dashboard.interfaces.transport.call import Part, Transport
from dashboard.interfaces.transport.streams import ObjectStream

__all__ = ["OMITTED", "Answer", "Ask", "Guard", "ObjectStream", "Part", "Transport"]
