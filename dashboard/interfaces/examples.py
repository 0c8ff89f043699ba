"""Build an example request of each operation: call its interface method with placeholders over a transport that sends nothing."""

import inspect
import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn, get_args, get_type_hints
from urllib.parse import urlencode

from dashboard.interfaces import paths
from dashboard.interfaces.credentials import Token
from dashboard.interfaces.management import encryption, functions, hostname, network, organizations, projects, secrets
from dashboard.interfaces.operations import OPERATIONS
from dashboard.interfaces.storage import buckets, objects
from dashboard.interfaces.transport import Ask, Transport

GROUPS = (
    *(projects.Projects, organizations.Organizations, secrets.Secrets, functions.Functions, hostname.Hostname),
    *(encryption.Encryption, network.Network, buckets.Buckets, objects.Objects),
)
PLURAL = re.compile(r"(?<=SS)ES$|S$")
# Example values for types that have no placeholder.
PLAIN: dict[object, object] = {bool: True, int: 0}


@dataclass(frozen=True, slots=True)
class Example:
    """One request; `curl` reads addresses and tokens from variables of the shell."""

    operation: str
    title: str
    curl: str


class _Drawn(Exception):  # noqa: N818 - carries what would have been sent
    def __init__(self, ask: Ask) -> None:
        super().__init__()
        self.ask = ask


class _Sketch(Transport):
    """A transport that sends nothing."""

    def fetch(self, ask: Ask, shape: type[Any], *, otherwise: object = None) -> NoReturn:  # noqa: ARG002 - it never answers
        raise _Drawn(ask)

    def answer(self, ask: Ask) -> NoReturn:
        raise _Drawn(ask)

    def open(self, ask: Ask) -> NoReturn:
        raise _Drawn(ask)


class _Placeholder(str):
    """A text that keeps its upper case when methods lower it."""

    __slots__ = ()

    def lower(self) -> "_Placeholder":
        return self


def example(operation: str, known: Mapping[str, str]) -> Example:
    """Return an operation's request. `known` are arguments to show as they are, such as `ref` and `bucket`."""
    ask = _draw(operation, known, is_full=False)
    if ask.json == {} or ask.json is None:
        ask = _draw(operation, known, is_full=True)
    found = OPERATIONS[operation]
    return Example(operation, f"{found.method} {found.path}", _curl(ask))


def _draw(operation: str, known: Mapping[str, str], *, is_full: bool) -> Ask:
    """Call the method with placeholders for required arguments only, or (`is_full`) for optional ones too."""
    group, method = _methods()[operation]
    hints, arguments = get_type_hints(method), {}
    for name, parameter in list(inspect.signature(method).parameters.items())[1:]:
        if parameter.default is inspect.Parameter.empty or is_full:
            arguments[name] = known.get(name) or _value(name, hints[name])
    try:
        method(group, **arguments)
    except _Drawn as drawn:
        return drawn.ask
    raise AssertionError(f"The method of {operation} asked for nothing.")


@cache
def _methods() -> Mapping[str, tuple[object, Callable[..., object]]]:
    """Return the first method of each operation, with an object to call it on."""
    sketch = _Sketch("http://service", Token("TOKEN"))
    found: dict[str, tuple[object, Callable[..., object]]] = {}
    for group in GROUPS:
        for method in vars(group).values():
            operation = (inspect.getdoc(method) or "").partition(" ")[0]
            if inspect.isfunction(method) and operation in OPERATIONS:
                found.setdefault(operation, (group(sketch), method))
    return found


def _value(name: str, hint: Any) -> object:
    """Return a placeholder of this type."""
    kinds = {getattr(kind, "__origin__", kind) for kind in get_args(hint) or (hint,)} | {getattr(hint, "__origin__", hint)}
    if any(inspect.isclass(kind) and issubclass(kind, Mapping) for kind in kinds):
        return {"NAME": "VALUE"}
    if any(inspect.isclass(kind) and hasattr(kind, "__getitem__") and kind not in (str, bytes) for kind in kinds):
        return [PLURAL.sub("", name.upper())]
    plain = next((value for kind, value in PLAIN.items() if kind in kinds), None)
    return plain if plain is not None else b"FILE" if bytes in kinds else _Placeholder(name.upper())


def _curl(ask: Ask) -> str:
    found = OPERATIONS[ask.operation]
    path = paths.build(found.path, ask.names) + (f"?{urlencode(ask.query)}" if ask.query else "")
    lines = [f'curl -X {found.method} "${found.service.upper()}_URL"{shlex.quote(path)}', '-H "Authorization: Bearer $TOKEN"']
    lines += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in ask.headers.items()]
    if ask.body is not None:
        lines.append("--data-binary @FILE")
    elif isinstance(ask.json, list | dict):
        lines += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(json.dumps(ask.json, ensure_ascii=False))}"]
    return " \\\n  ".join(lines)
