"""What entries say as sentences: "Lifted 2 bans", "Uploaded 300 files to handbook/reports", "Tried to delete bucket photos"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import commonpath, dirname
from typing import Any

from dashboard.interfaces.management.hostname import HostnameStatus
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
    "sandbox switched": "set the sandbox to",
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
# "View, share · handbook/drivers/ · Nora": what is allowed, where, and to whom.
_ACCESS = re.compile(r"(?P<allowed>[^·]+) · (?P<where>.+) · (?P<who>[^·]+)", re.DOTALL)
TOKENS = ("token forgotten", "token replaced", "token stored")
GRANTED = ("access granted", "access changed", "access confirmed", "access revoked")
WHOLE = {"Whole storage": "the whole storage", "All sections": "all sections"}
# What a verb in `ACTS` ends with if its target follows.
_OPEN_END = re.compile(r"(?::| the| of| to| for)$")
# What a folder or file was called and is called now.
_RENAMED = re.compile(r"(?:folder|file) (?!.*, sent to “).+/.+ to [^/]+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Predicate:
    """What an entry recorded beyond its operation: the verb of its sentence, and what stands behind the target."""

    verb: str
    ending: str = ""


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


def predicate_of(operation: str, after: Any) -> Predicate | None:
    """Return what `after`, as recorded, says more exactly of a change of a function or a verification of a hostname."""
    if not isinstance(after, dict) or not after:
        return None
    if operation == "M18":
        return Predicate("check") if after.get("status") == HostnameStatus.INITIATED else None
    if operation not in ("M9", "M12"):
        return None
    if version := after.get("body of version"):
        return Predicate("roll back", f" to version {version}")
    if operation == "M9":
        return None
    return Predicate("deploy") if "body" in after else Predicate("change the settings of")


def kind_in_the_past(operation: str) -> str:
    """Return what was done with any target, as filters name it: "Created bucket", "Stored token", "Signed in"."""
    if operation in OWN_ACTS:
        verb = OWN_ACTS[operation]
    elif operation in OPERATIONS:
        first, _, thing = words(operation).partition(" ")
        act = OPERATIONS[operation].words.act
        verb = f"{first if not act or ' ' in act else act} {thing}"
        verb = re.sub(r" (?:the|an?) ", " ", verb, count=1)
    elif operation in ACTS:
        verb = _OPEN_END.sub("", ACTS[operation])
        verb = verb if " " in verb else f"{verb} {operation.rpartition(' ')[0]}"
    else:
        return operation[:1].upper() + operation[1:]
    past = _past(verb.rstrip())
    return past[:1].upper() + past[1:]


def sentence(
    operation: str, target: str, outcome: Outcome, parts: Sequence[Part] = (), exactly: Predicate | None = None
) -> tuple[str, str]:
    """Return what was done, and to what. `parts` are all of an act of several entries, of which this one is the first."""
    if operation not in OPERATIONS and operation not in ACTS and operation not in OWN_ACTS:
        return operation[:1].upper() + operation[1:], target
    if parts:
        operation = max(parts, key=lambda part: part.amount).operation
        targets = [part.first for part in parts if part.operation == operation]
        target = _joined(target, [part for part in parts if part.operation == operation])
    else:
        targets, target = [target], _one(operation, target)
    if operation in OPERATIONS:
        verb = OPERATIONS[operation].words.act or _NOUN.sub("", words(operation))
        target = target or words(operation).removeprefix(verb).strip()
    else:
        verb = ACTS.get(operation) or OWN_ACTS[operation]
    if exactly and not parts:
        verb, target = exactly.verb, f"{target}{exactly.ending}"
    verb, target = _fitted(operation, verb, target, targets)
    if outcome in (Outcome.DONE, Outcome.PARTLY):
        verb = _past(verb)
    elif outcome != Outcome.OPEN:
        verb = f"tried to {verb}"
    return verb[:1].upper() + verb[1:], target


def _fitted(operation: str, verb: str, target: str, targets: Sequence[str]) -> tuple[str, str]:
    """Return the verb and the target as they fit together. `targets` are those that `target` was joined of."""
    if question := _QUESTION.fullmatch(target):
        verb, target = "check whether", f"{question[1]} reaches other buckets"
    elif operation == "link shared" and target.startswith("share link to "):
        verb, target = "share", target.removeprefix("share link to ")
    elif operation in CONFIRMATIONS and target and not target.startswith("to "):
        verb = f"{verb} for"
    elif operation in ("S10", "S12") and re.match(r"\d[\d,]* objects? in ", target):
        verb = "change type or caching of"
    elif operation == "S11" and _RENAMED.fullmatch(target):
        verb = "rename"
    elif operation == "sandbox switched" and target == "Reset":
        verb, target = "reset the sandbox", ""
    elif operation in GRANTED and (granted := _grants(operation, targets)):
        verb, target = verb.partition(" ")[0], granted
    return verb, target


def _grants(operation: str, targets: Sequence[str]) -> str:
    """Return to whom and to what access was given, changed or revoked; "" if a target doesn't say so."""
    found = [_ACCESS.fullmatch(target) for target in targets]
    people = list(dict.fromkeys(one["who"] for one in found if one))
    reach = list(dict.fromkeys(f"{WHOLE.get(one['where'], one['where'])}: {one['allowed'].lower()}" for one in found if one))
    if not all(found):
        return ""
    who, of_all, role = people[0].partition("Everybody: ")
    others = f" and {len(people) - 1:,} more" if len(people) > 1 else ""
    if operation == "access granted":
        whose = f"everybody ({role}){others} access" if of_all else f"{who}{others} access"
    else:
        whose = f"the access of {f'everybody ({role})' if of_all else who}{others}" if of_all or others else f"{who}'s access"
    more = f" and {len(reach) - 2:,} more" if len(reach) > 2 else ""
    return f"{whose} to {'; '.join(reach[:2])}{more}"


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
    if operation in TOKENS:
        return f"the {target}"
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
    if len({part.first for part in parts}) == 1 and _RENAMED.fullmatch(parts[0].first):
        return parts[0].first
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
