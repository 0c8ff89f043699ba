"""What entries say as sentences: "Lifted 2 bans", "Uploaded 300 files to handbook/reports", "Tried to delete bucket photos"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import commonpath, dirname

from dashboard.interfaces.operations import OPERATIONS
from dashboard.journal.models import QUESTION, TRANSFERS, Outcome
from dashboard.web.failures.operations import words
from dashboard.web.text import counted

# What completes "We tried to …", followed by the target, of our own acts.
ACTS = {
    "access granted": "give access:",
    "access changed": "change access:",
    "access confirmed": "confirm access:",
    "access revoked": "revoke access:",
    "downloaded": "download",
    "file request changed": "change the file request",
    "file request restored": "restore the file request",
    "file request revoked": "revoke the file request",
    "file erased": "erase",
    "files requested": "request files:",
    "function note changed": "change the",
    "handed over": "hand over the work of",
    "label changed": "change the",
    "link changed": "change",
    "link made": "create a sign-in link for",
    "link reopened": "restore",
    "link revoked": "revoke",
    "link shared": "create",
    "links reopened": "restore",
    "links revoked": "revoke",
    "person added": "add",
    "person deactivated": "deactivate",
    "person reactivated": "reactivate",
    "role changed": "change the role of",
    "sandbox DNS published": "publish DNS records of",
    "sandbox DNS removed": "delete DNS records of",
    "sandbox switched": "switch the sandbox:",
    "snapshot deleted": "delete the",
    "token forgotten": "forget",
    "token replaced": "replace",
    "token stored": "store",
    "code confirmed": "confirm with a code",
    "passkey confirmed": "confirm with a passkey",
    "password confirmed": "confirm with the password",
    "provider confirmed": "confirm with single sign-on",
}
# Acts of people about themselves: the target is their own address.
OWN_ACTS = {
    "account started over": "start the account over",
    "account unlocked": "unlock the account",
    "authenticator app added": "add an authenticator app",
    "authenticator app deleted": "delete an authenticator app",
    "factors reset": "reset the second factors",
    "link used": "use a sign-in link",
    "name changed": "change the name",
    "other sessions ended": "sign out all other devices",
    "passkey added": "add a passkey",
    "passkey deleted": "delete a passkey",
    "passkey renamed": "rename a passkey",
    "password changed": "change the password",
    "provider connected": "connect single sign-on",
    "provider disconnected": "disconnect single sign-on",
    "recovery codes created": "create recovery codes",
    "session ended": "sign out a device",
    "sign-in": "sign in",
    "sign-in locked": "lock sign-in after too many tries",
    "sign-out": "sign out",
    "signed out everywhere": "sign out everywhere",
}
# The target is what somebody confirmed for: a page's title, or its path outside of projects.
CONFIRMATIONS = ("code confirmed", "passkey confirmed", "password confirmed", "provider confirmed")
IRREGULAR = {"forget": "forgot", "give": "gave", "read": "read", "set": "set", "reset": "reset"}
# How the targets of single objects begin.
OBJECT = "object "
# Files that people named may begin alike: "2024 photos.zip from Ann", "object lesson.pdf from Ann".
_COUNT = re.compile(r"(\d[\d,]*) (addresses|objects?|secrets?|share links?)(?=$|:| in | of )(.*)", re.DOTALL)
_OBJECT = re.compile(r"object (?=[^/ ]+/)")
_NOUN = re.compile(r" (?:the|a|an) .*| signed links?$")
# Such a question was part of an action in the first release.
_QUESTION = re.compile(rf"{QUESTION}does (.+) reach other buckets\?")
_SINGULAR = {"addresses": "address"}


@dataclass(frozen=True, slots=True)
class Part:
    """Entries of an act that have one target, or that are about one object each: `count` of them, from `first` to `last`."""

    operation: str
    first: str
    last: str
    count: int

    @property
    def amount(self) -> int:
        """How many things it is about."""
        found = _COUNT.match(self.first)
        return self.count * (int(found[1].replace(",", "")) if found else 1)


def sentence(operation: str, target: str, outcome: Outcome, parts: Sequence[Part] = ()) -> tuple[str, str]:
    """Return what was done, and to what. `parts` are all of an act of several entries, of which this one is the first."""
    if operation not in OPERATIONS and operation not in ACTS and operation not in OWN_ACTS:
        return operation[:1].upper() + operation[1:], target
    if parts:
        leading = max(parts, key=lambda part: part.amount)
        operation, target = leading.operation, _joined(target, [part for part in parts if part.operation == leading.operation])
    else:
        target = _one(operation, target)
    if operation in OPERATIONS:
        verb = OPERATIONS[operation].words.act or _NOUN.sub("", words(operation))
        target = target or words(operation).removeprefix(verb).strip()
    else:
        verb = ACTS.get(operation) or OWN_ACTS[operation]
    if question := _QUESTION.fullmatch(target):
        verb, target = "check whether", f"{question[1]} reaches other buckets"
    elif operation == "link shared" and target.startswith("share link to "):
        verb, target = "share", target.removeprefix("share link to ")
    elif operation in CONFIRMATIONS and target and not target.startswith("to "):
        verb = f"{verb} for"
    elif operation in ("S10", "S12") and re.match(r"\d[\d,]* objects? in ", target):
        verb = "change type or caching of"
    if outcome in (Outcome.DONE, Outcome.PARTLY):
        verb = _past(verb)
    elif outcome != Outcome.OPEN:
        verb = f"tried to {verb}"
    return verb[:1].upper() + verb[1:], target


def _past(verb: str) -> str:
    first, space, rest = verb.partition(" ")
    stem = re.sub("[^aeiou]y$", lambda end: f"{end[0][0]}i", first).removesuffix("e")
    return f"{IRREGULAR.get(first, f'{stem}ed')}{space}{rest}"


def _one(operation: str, target: str) -> str:
    """Return the target of a single entry, with the right singular or plural."""
    if operation in OWN_ACTS or (operation in CONFIRMATIONS and target.startswith("/")):
        return ""
    if operation == "M23":
        found = _COUNT.fullmatch(target)
        return counted(int(found[1]), "ban") if found else f"the ban of {target}"
    if _OBJECT.match(target):
        return target.removeprefix(OBJECT)
    return _counted(target)


def _joined(target: str, parts: Sequence[Part]) -> str:
    """Return what several entries of one operation were about."""
    total = sum(part.amount for part in parts)
    if all(_OBJECT.match(part.first) for part in parts):
        keys = [key.removeprefix(OBJECT) for part in parts for key in (part.first, part.last)]
        folder = commonpath([dirname(key) for key in keys])
        noun, way = ("file", "to") if parts[0].operation in TRANSFERS else ("object", "in")
        return f"{counted(total, noun)} {way} {folder}" if folder else counted(total, noun)
    found = [match for part in parts if (match := _COUNT.match(part.first))]
    if len(found) == len(parts):
        places = {match[3] for match in found}
        return _counted(f"{total} {found[0][2]}{places.pop() if len(places) == 1 else ''}")
    nouns = {part.first.rpartition(" ")[2] for part in parts}
    if nouns == {"token"}:
        return counted(total, "token")
    others = sum(part.count for part in parts) - 1
    return f"{_one(parts[0].operation, target)} and {others:,} more" if others else _one(parts[0].operation, target)


def _counted(target: str) -> str:
    """Write a number at the beginning as the product writes numbers: "1,000 objects", "1 object"."""
    found = _COUNT.match(target)
    if not found:
        return target
    number, many, rest = int(found[1].replace(",", "")), found[2], found[3]
    one = _SINGULAR.get(many) or many.removesuffix("s")
    return f"{counted(number, one, many if many != one else '')}{rest}"
