"""Look up the DNS records of a hostname, and diagnose each one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.features.hostname.models import Purpose, SeenRecord
from dashboard.features.hostname.rules import caa
from dashboard.features.hostname.rules.findings import Answer, Finding, Kind, Question, merge
from dashboard.features.hostname.rules.names import ancestors, plain, zones_of
from dashboard.features.hostname.services import resolver
from dashboard.features.hostname.services.checks import record_records
from dashboard.features.hostname.services.hostname import Memory
from dashboard.features.hostname.services.resolver import NoResolver, Resolver
from dashboard.web.process.database import give_back

# Common types that can't exist beside a CNAME.
CONFLICTING = ("A", "AAAA", "TXT", "MX")
ADDRESSES = ("A", "AAAA")
# In these states of the certificate, no issuer needs to be allowed any more.
CERTIFIED = frozenset({"active", "pending_deployment"})

LookUp = Callable[[str, str], Answer]


@dataclass(frozen=True, slots=True)
class Need:
    """A record that must be published for a `host`."""

    type: str
    name: str
    value: str
    host: str


@dataclass(frozen=True, slots=True)
class Examination:
    """The findings on records and CAA records, and the labels of the resolvers."""

    findings: Mapping[Need, Finding]
    issuer: Finding | None
    resolvers: tuple[str, ...]

    @property
    def looks_right(self) -> bool:
        """Whether verifying can succeed: every record is correct or comes later, and no CAA record forbids the issuer."""
        forbidden = self.issuer is not None and self.issuer.kind is Kind.CAA
        kinds = {finding.kind for finding in self.findings.values()}
        return Kind.CORRECT in kinds and kinds <= {Kind.CORRECT, Kind.LATER} and not forbidden

    @property
    def is_known(self) -> bool:
        """Whether a resolver answered about at least one record."""
        return any(finding.kind is not Kind.UNKNOWN for finding in self.findings.values())

    @property
    def broken(self) -> str:
        """The first record that a person has to change, with its problem; empty if there is none."""
        found = [(f"{need.type} {plain(need.name)}", finding) for need, finding in self.findings.items()]
        if self.issuer is not None:
            found.append(("CAA", self.issuer))
        return next((f"{name}: {one.kind.value}" for name, one in found if one.kind.is_broken), "")


def examine(memory: Memory, resolvers: Sequence[str]) -> Examination:
    """Look up the CNAME and every record that the service still requires, and save what is wrong.

    Takes at most a few seconds. `resolvers` are those of the configuration; without any, the system's are used.
    """
    needs = [need_of(record, memory.known.hostname) for record in memory.records if is_needed(record)]
    give_back()
    found = _examine(needs, resolvers, authority=memory.known.authority, certified=memory.known.certificate in CERTIFIED)
    if found.is_known:
        record_records(memory.known, memory.check, found.broken)
    return found


def examine_before(host: str, target: str, resolvers: Sequence[str]) -> Finding:
    """Look up the CNAME of a hostname that isn't set up yet."""
    need = Need("CNAME", host, target, host)
    return _examine([need], resolvers, certified=True).findings[need]


def is_top_of_zone(host: str, resolvers: Sequence[str]) -> bool:
    """Whether this name is the top of a zone, which can't have a CNAME. False if no resolver answers."""
    questions = [Question(host, "NS"), Question(host, "SOA")]
    try:
        answers = resolver.ask(questions, resolver.resolvers(resolvers))
    except NoResolver:
        return False
    return any(answer.values for by_question in answers.values() for answer in by_question.values())


def is_needed(record: SeenRecord) -> bool:
    return record.asked or record.purpose == Purpose.CNAME


def need_of(record: SeenRecord, host: str) -> Need:
    return Need(record.type, record.name, record.value, host)


def look_up(needs: Sequence[Need], of: Sequence[Resolver], *, authority: str = "", certified: bool = False) -> Examination:
    """Look up records. `authority` is the service's name for the issuer; `certified`: skip the CAA records."""
    host = needs[0].host if needs else ""
    questions = [*_questions(needs), *(Question(name, "CAA") for name in ancestors(host) if host and not certified)]
    answers = resolver.ask(questions, of)
    by_need = {need: [(one, _judge(need, _answers_of(answers[one]))) for one in of] for need in needs}
    _find_doubled(by_need, of)
    findings = {need: merge([(one.label, finding) for one, finding in each]) for need, each in by_need.items()}
    issuer = None
    if host and not certified:
        issuer = merge([(one.label, caa.judge(host, authority, _answers_of(answers[one]))) for one in of])
    return Examination(_in_order(findings), issuer, tuple(one.label for one in of))


def _examine(needs: list[Need], resolvers: Sequence[str], *, authority: str = "", certified: bool = False) -> Examination:
    try:
        found = resolver.resolvers(resolvers)
    except NoResolver as none:
        return Examination({need: _unknown(need, str(none)) for need in needs}, None, ())
    return look_up(needs, found, authority=authority, certified=certified)


def _questions(needs: Iterable[Need]) -> list[Question]:
    wanted = []
    for need in needs:
        kinds = ("CNAME", *CONFLICTING) if need.type == "CNAME" else (need.type, "CNAME")
        wanted += [Question(plain(need.name), kind) for kind in kinds]
    return list(dict.fromkeys(wanted))


def _answers_of(answers: Mapping[Question, Answer]) -> LookUp:
    return lambda name, kind: answers[Question(plain(name), kind)]


def _judge(need: Need, answer_to: LookUp) -> Finding:
    return _judge_cname(need, answer_to) if need.type == "CNAME" else _judge_text(need, answer_to)


def _judge_cname(need: Need, answer_to: LookUp) -> Finding:
    alias = answer_to(need.name, "CNAME")
    if alias.why:
        return _unknown(need, alias.why)
    others = {kind: answer for kind in CONFLICTING if (answer := answer_to(need.name, kind)).values}
    beside = tuple(f"{kind} {value}" for kind, answer in others.items() for value in answer.values)
    if not alias.values:
        return _judge_missing_cname(need, others, beside)
    seen = tuple(f"CNAME {value}" for value in alias.values)
    targets = {plain(value) for value in alias.values}
    if doubled := _doubled_value(need, targets):
        fix = f"The zone was added to the value. Enter the value with a dot at the end: {plain(need.value)}."
        return Finding(Kind.DOUBLED, need.value, (f"CNAME {doubled}",), fix, alias.ttl)
    if targets != {plain(need.value)}:
        fix = f"Point the CNAME of {need.name} to {need.value} only."
        return Finding(Kind.WRONG, need.value, seen, fix, alias.ttl)
    if others:
        fix = f"Remove the {_list(others)} at {need.name}: no other record may have the name of a CNAME."
        return Finding(Kind.CONFLICT, need.value, (*seen, *beside), fix, alias.ttl)
    return Finding(Kind.CORRECT, need.value, seen, ttl=alias.ttl)


def _judge_missing_cname(need: Need, others: Mapping[str, Answer], beside: tuple[str, ...]) -> Finding:
    if any(kind in others for kind in ADDRESSES):
        fix = (
            f"Replace the address at {need.name} by a CNAME to {need.value}. "
            "If your DNS provider proxies the name, turn that off: a proxied name shows addresses too."
        )
        return Finding(Kind.ADDRESS, need.value, beside, fix, max(answer.ttl for answer in others.values()))
    fix = f"Add a CNAME at {need.name} that points to {need.value}."
    if others:
        fix += f" Remove the {_list(others)} there first: no other record may have the name of a CNAME."
    return Finding(Kind.MISSING, need.value, beside, fix)


def _judge_text(need: Need, answer_to: LookUp) -> Finding:
    texts, alias = answer_to(need.name, need.type), answer_to(need.name, "CNAME")
    if texts.why:
        return _unknown(need, texts.why)
    if need.value in texts.values:
        return Finding(Kind.CORRECT, need.value, texts.values, ttl=texts.ttl)
    if alias.values and not texts.values:
        seen = tuple(f"CNAME {value}" for value in alias.values)
        if plain(need.name) == plain(need.host):
            fix = "This record needs the CNAME's name. Replace the CNAME by it, verify, then restore the CNAME."
        else:
            fix = (
                f"A CNAME at {need.name}, perhaps a wildcard, hides this record. "
                f"Add the {need.type} under this exact name, without a CNAME."
            )
        return Finding(Kind.CONFLICT, need.value, seen, fix, alias.ttl)
    if texts.values:
        return Finding(Kind.WRONG, need.value, texts.values, _text_fix(need, texts.values), texts.ttl)
    return Finding(Kind.MISSING, need.value, (), f"Add the {need.type} record at {need.name}.")


def _text_fix(need: Need, seen: Sequence[str]) -> str:
    if any(value.strip("\"' ") == need.value for value in seen):
        return "The value contains quotation marks or spaces. Enter it without them."
    return f"Set the {need.type} at {need.name} to the expected value, or add a second record. Case matters."


def _find_doubled(by_need: dict[Need, list[tuple[Resolver, Finding]]], of: Sequence[Resolver]) -> None:
    """Look for missing records under their name with the zone repeated, as some registrars append it."""
    missing = {need: each for need, each in by_need.items() if any(found.kind is Kind.MISSING for _, found in each)}
    asked = {Question(name, need.type) for need in missing for name in _doubled_names(need)}
    if not asked:
        return
    answers = resolver.ask(asked, of)
    for need, each in missing.items():
        by_need[need] = [
            (one, _doubled(need, found, answers[one]) if found.kind is Kind.MISSING else found) for one, found in each
        ]


def _doubled(need: Need, missing: Finding, answers: Mapping[Question, Answer]) -> Finding:
    for name in _doubled_names(need):
        answer = answers[Question(name, need.type)]
        if any(_same(need, value) for value in answer.values):
            zone = name.removeprefix(f"{plain(need.name)}.")
            fix = (
                f"The registrar appends {zone}. Enter the relative name "
                f"{plain(need.name).removesuffix(f'.{zone}')}, or end the full name with a dot."
            )
            return Finding(Kind.DOUBLED, need.value, (f"{need.type} at {name}",), fix, answer.ttl)
    return missing


def _doubled_names(need: Need) -> list[str]:
    return [f"{plain(need.name)}.{zone}" for zone in zones_of(plain(need.host))]


def _doubled_value(need: Need, targets: set[str]) -> str:
    return next(
        (f"{plain(need.value)}.{zone}" for zone in zones_of(plain(need.host)) if f"{plain(need.value)}.{zone}" in targets), ""
    )


def _same(need: Need, value: str) -> bool:
    if need.type != "CNAME":
        return value == need.value
    return plain(value) == plain(need.value) or bool(_doubled_value(need, {plain(value)}))


def _in_order(findings: dict[Need, Finding]) -> dict[Need, Finding]:
    """Postpone a CNAME while a TXT record needs its name."""
    texts = {plain(need.name) for need in findings if need.type != "CNAME"}
    fix = "Restore the CNAME once the TXT record at this name is verified: they can't coexist."
    return {
        need: replace(finding, kind=Kind.LATER, fix=fix)
        if need.type == "CNAME" and plain(need.name) in texts and finding.kind in {Kind.MISSING, Kind.CONFLICT}
        else finding
        for need, finding in findings.items()
    }


def _unknown(need: Need, why: str) -> Finding:
    fix = f"Couldn't look this record up: {why}."
    return Finding(Kind.UNKNOWN, need.value, (), fix)


def _list(kinds: Iterable[str]) -> str:
    return " and ".join([f"{kind} record" for kind in kinds])
