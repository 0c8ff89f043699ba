"""The record doctor: looks the records up and says of each what is wrong with it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.features.hostname.rules import caa
from dashboard.features.hostname.rules.findings import Finding, Kind, merged
from dashboard.features.hostname.rules.names import ancestors, plain, zones_of
from dashboard.features.hostname.services import resolver as dns_resolver
from dashboard.features.hostname.services.resolver import Answer, Question, Resolver

BESIDE = ("A", "AAAA", "TXT", "MX")
ADDRESSES = ("A", "AAAA")

Said = Callable[[str, str], Answer]


@dataclass(frozen=True, slots=True)
class Need:
    """A record that must be published. `host` is the hostname that it is for."""

    type: str
    name: str
    value: str
    host: str


@dataclass(frozen=True, slots=True)
class Examination:
    """A finding for each record, and one on who may issue a certificate. `asked` names the resolvers."""

    findings: Mapping[Need, Finding]
    issuer: Finding | None
    asked: tuple[str, ...]

    @property
    def looks_right(self) -> bool:
        """Whether verifying has a prospect: every record is right or has its time later, and no CAA forbids."""
        hopeless = self.issuer is not None and self.issuer.kind is Kind.CAA
        kinds = {finding.kind for finding in self.findings.values()}
        return Kind.RIGHT in kinds and kinds <= {Kind.RIGHT, Kind.LATER} and not hopeless


def examine(needs: Sequence[Need], of: Sequence[Resolver], *, authority: str = "", certified: bool = False) -> Examination:
    """Look up what is needed. `authority` is the issuer as the service calls it; `certified`: no issuer has to be allowed."""
    host = needs[0].host if needs else ""
    questions = [*_questions(needs), *(Question(name, "CAA") for name in ancestors(host) if host and not certified)]
    answers = dns_resolver.ask(questions, of)
    by_need = {need: [(resolver, _judge(need, _said(answers[resolver]))) for resolver in of] for need in needs}
    _look_for_doubled(by_need, of)
    findings = {need: merged([(resolver.label, finding) for resolver, finding in each]) for need, each in by_need.items()}
    issuer = None
    if host and not certified:
        issuer = merged([(resolver.label, caa.judge(host, authority, _said(answers[resolver]))) for resolver in of])
    return Examination(_in_turn(findings), issuer, tuple(resolver.label for resolver in of))


def unasked(needs: Iterable[Need], why: str) -> Examination:
    """Nobody could be asked at all."""
    return Examination({need: _not_asked(need, why) for need in needs}, None, ())


def _questions(needs: Iterable[Need]) -> list[Question]:
    wanted = []
    for need in needs:
        kinds = ("CNAME", *BESIDE) if need.type == "CNAME" else (need.type, "CNAME")
        wanted += [Question(plain(need.name), kind) for kind in kinds]
    return list(dict.fromkeys(wanted))


def _said(answers: Mapping[Question, Answer]) -> Said:
    return lambda name, kind: answers[Question(plain(name), kind)]


def _judge(need: Need, said: Said) -> Finding:
    return _judge_alias(need, said) if need.type == "CNAME" else _judge_text(need, said)


def _judge_alias(need: Need, said: Said) -> Finding:
    alias = said(need.name, "CNAME")
    if alias.why:
        return _not_asked(need, alias.why)
    others = {kind: answer for kind in BESIDE if (answer := said(need.name, kind)).values}
    beside = tuple(f"{kind} {value}" for kind, answer in others.items() for value in answer.values)
    if not alias.values:
        return _without_alias(need, others, beside)
    seen = tuple(f"CNAME {value}" for value in alias.values)
    targets = {plain(value) for value in alias.values}
    if doubled := _doubled_value(need, targets):
        fix = f"The zone was added to the value. Write the value with a dot at its end: {plain(need.value)}."
        return Finding(Kind.DOUBLED, need.value, (f"CNAME {doubled}",), fix, alias.ttl)
    if targets != {plain(need.value)}:
        fix = f"Let the CNAME of {need.name} point to {need.value} and to nothing else."
        return Finding(Kind.WRONG, need.value, seen, fix, alias.ttl)
    if others:
        fix = (
            f"Remove the {_list(others)} at {need.name}: nothing may stand beside a CNAME, "
            "and resolvers differ in what they answer then."
        )
        return Finding(Kind.BESIDE, need.value, (*seen, *beside), fix, alias.ttl)
    return Finding(Kind.RIGHT, need.value, seen, ttl=alias.ttl)


def _without_alias(need: Need, others: Mapping[str, Answer], beside: tuple[str, ...]) -> Finding:
    if any(kind in others for kind in ADDRESSES):
        fix = (
            f"Replace the address at {need.name} by a CNAME to {need.value}. "
            "Where the DNS provider offers to proxy the name, turn that off: a proxied name shows addresses, too."
        )
        return Finding(Kind.ADDRESS, need.value, beside, fix, max(answer.ttl for answer in others.values()))
    fix = f"Publish a CNAME at {need.name} that points to {need.value}."
    if others:
        fix += f" Remove the {_list(others)} there first: nothing may stand beside a CNAME."
    return Finding(Kind.MISSING, need.value, beside, fix)


def _judge_text(need: Need, said: Said) -> Finding:
    texts, alias = said(need.name, need.type), said(need.name, "CNAME")
    if texts.why:
        return _not_asked(need, texts.why)
    if need.value in texts.values:
        return Finding(Kind.RIGHT, need.value, texts.values, ttl=texts.ttl)
    if alias.values and not texts.values:
        seen = tuple(f"CNAME {value}" for value in alias.values)
        if plain(need.name) == plain(need.host):
            fix = "It needs the CNAME's very name. Replace the CNAME by this record, verify, and put the CNAME back afterwards."
        else:
            fix = (
                f"A CNAME stands at {need.name}, perhaps by a wildcard, and hides this record. "
                f"Publish the {need.type} under this exact name, and no CNAME beside it."
            )
        return Finding(Kind.BESIDE, need.value, seen, fix, alias.ttl)
    if texts.values:
        return Finding(Kind.WRONG, need.value, texts.values, _mend_text(need, texts.values), texts.ttl)
    return Finding(Kind.MISSING, need.value, (), f"Publish the {need.type} record at {need.name}.")


def _mend_text(need: Need, seen: Sequence[str]) -> str:
    if any(value.strip("\"' ") == need.value for value in seen):
        return "Quotation marks or spaces became part of the value. Write it without them."
    return f"Give the {need.type} at {need.name} the expected value, or add a second record with it. Upper and lower case count."


def _look_for_doubled(by_need: dict[Need, list[tuple[Resolver, Finding]]], of: Sequence[Resolver]) -> None:
    """Where a record is missing, it may stand under its name with the zone once more: some registrars add it themselves."""
    missing = {need: each for need, each in by_need.items() if any(found.kind is Kind.MISSING for _, found in each)}
    asked = {Question(name, need.type) for need in missing for name in _doubled_names(need)}
    if not asked:
        return
    answers = dns_resolver.ask(asked, of)
    for need, each in missing.items():
        by_need[need] = [
            (resolver, _doubled(need, found, answers[resolver]) if found.kind is Kind.MISSING else found)
            for resolver, found in each
        ]


def _doubled(need: Need, missing: Finding, answers: Mapping[Question, Answer]) -> Finding:
    for name in _doubled_names(need):
        answer = answers[Question(name, need.type)]
        if any(_same(need, value) for value in answer.values):
            zone = name.removeprefix(f"{plain(need.name)}.")
            fix = (
                f"The registrar adds {zone} itself. Enter the relative name "
                f"{plain(need.name).removesuffix(f'.{zone}')}, or put a dot at the end of the whole name."
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


def _in_turn(findings: dict[Need, Finding]) -> dict[Need, Finding]:
    """A CNAME whose name is still needed for a TXT record has its time after it."""
    texts = {plain(need.name) for need in findings if need.type != "CNAME"}
    fix = "Put the CNAME back as soon as the TXT record at this name is verified: the two can't stand there together."
    return {
        need: replace(finding, kind=Kind.LATER, fix=fix)
        if need.type == "CNAME" and plain(need.name) in texts and finding.kind in {Kind.MISSING, Kind.BESIDE, Kind.RIGHT}
        else finding
        for need, finding in findings.items()
    }


def _not_asked(need: Need, why: str) -> Finding:
    fix = f"Nothing is known about this record: {why}. That says nothing against it."
    return Finding(Kind.NOT_ASKED, need.value, (), fix)


def _list(kinds: Iterable[str]) -> str:
    return " and ".join([f"{kind} record" for kind in kinds])
