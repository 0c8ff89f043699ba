"""The file of `manage.py export`: a line of JSON per table and per row. The last line is a digest keyed by VAULT_KEYS."""

import hmac
import json
import os
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from dashboard import __version__
from dashboard.launch.rules import Refusal
from dashboard.launch.troubles import of_file
from dashboard.vault import signatures
from dashboard.vault.seals import Sealed

HEAD_MAX_BYTES = 1000


def write(file: Path, lines: Iterable[Any]) -> None:
    """Write a new file that only this account may read. Raises `Refusal`."""
    if file.exists():
        raise Refusal(f"There is a file {file} already. Name another.")
    key = signatures.newest_key()
    digest = signatures.digest(key)
    part = file.with_name(f"{file.name}.part")
    try:
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
            for value in chain([{"pilothouse": __version__, "key": key}], lines):
                line = _line(value)
                digest.update(line)
                target.write(line)
            target.write(_line({"digest": digest.hexdigest()}))
            target.flush()
            os.fsync(target.fileno())
        part.rename(file)
    except OSError as error:
        raise Refusal(str(of_file(error, file))) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def read(file: Path) -> Iterator[Any]:
    """Yield the lines that `write` wrote. Raises `Refusal`, but only at the end if the file was changed."""
    try:
        with file.open("rb") as source:
            yield from _lines(file, source)
    except OSError as error:
        raise Refusal(str(of_file(error, file))) from error
    except ValueError as error:
        raise Refusal(f"{file} is damaged.") from error


def _lines(file: Path, source: BinaryIO) -> Iterator[Any]:
    first = source.readline(HEAD_MAX_BYTES)
    match _head(first):
        case {"pilothouse": str(version), "key": str(key)}:
            if version != __version__:
                text = f"Version {version} of Pilothouse wrote {file}; this is version {__version__}."
                raise Refusal(f"Nothing was changed. {text} Export and import with the same version.")
        case _:
            raise Refusal(f"{file} is not an export of Pilothouse.")
    try:
        digest = signatures.digest(key)
    except LookupError as error:
        raise Refusal(f"VAULT_KEYS don't hold the key of {file}. Use the keys of that installation.") from error
    digest.update(first)
    for line in source:
        value = json.loads(line)
        if isinstance(value, dict) and "digest" in value:
            if hmac.compare_digest(value["digest"], digest.hexdigest()) and not source.read(1):
                return
            break
        digest.update(line)
        yield value
    raise Refusal(f"{file} is damaged or was changed.")


def _head(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _line(value: Any) -> bytes:
    return json.dumps(value, default=_plain, separators=(",", ":")).encode() + b"\n"


def _plain(value: object) -> str:
    match value:
        case datetime():
            return value.isoformat()
        case UUID():
            return str(value)
        case bytes() | memoryview():
            return b64encode(value).decode()
        case Sealed():
            return value.stored()
    raise TypeError(f"A column holds a {type(value).__name__}.")
