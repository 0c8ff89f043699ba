"""Results of one attempt to send a message."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attempt:
    """The message was accepted."""


@dataclass(frozen=True, slots=True)
class Refused(Attempt):
    """This message was refused, though others may be accepted. `is_final`: don't try again."""

    error: str
    is_final: bool


@dataclass(frozen=True, slots=True)
class Unsent(Attempt):
    """The channel failed. `was_cut`: the connection ended after the message was sent, before an answer."""

    error: str
    may_have_arrived: bool = False
    was_cut: bool = False
