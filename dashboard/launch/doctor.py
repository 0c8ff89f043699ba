"""`manage.py doctor`: check the installation and suggest a remedy for each problem. Sends no token or mail.

It changes nothing but the store of snapshots, where it writes an object and deletes it again. Standard library only until the
settings are known to be valid, because Django reads them at import.
"""

import argparse
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill

from dashboard.launch import environment
from dashboard.launch.configuration import Finding, keys, settings
from dashboard.launch.ports import LOOPBACK, remembered
from dashboard.launch.supervisor import ROOT

WIDTH = 120


def main(arguments: Sequence[str]) -> int:
    """Print the report; return 1 if there are problems, else 0."""
    data = _data(arguments)
    has_problems = False
    for subject, findings in examine(os.environ, data):
        for finding in findings:
            sys.stdout.write(_lines(subject, finding))
            sys.stdout.flush()
            has_problems |= finding.verdict == "problem"
    return 1 if has_problems else 0


def examine(environ: Mapping[str, str], data: Path) -> Iterator[tuple[str, Iterable[Finding]]]:
    """Yield each subject with its findings. Sets up Django once the settings are known to be valid."""
    first = {"settings": list(settings(environ, data)), "keys": list(keys(environ, data))}
    yield from first.items()
    if any(finding.verdict == "problem" for findings in first.values() for finding in findings):
        yield "other checks", [Finding("warning", "They need valid settings and keys.", "Fix these first.")]
        return
    ports = remembered(data / "ports.json") if environment.needs_sandbox(environ) else None
    os.environ.update(environment.for_web(environ, data=data, host=LOOPBACK, address="", keys={}, sandbox=ports))
    import django  # noqa: PLC0415 - reads the settings

    django.setup()
    # Log lines may quote addresses, and failures arrive as exceptions anyway.
    logging.getLogger("dashboard.web.process.postgresql").setLevel(logging.CRITICAL)
    from dashboard.launch.diagnosis import diagnose  # noqa: PLC0415 - models need django.setup()

    yield from diagnose()


def _data(arguments: Sequence[str]) -> Path:
    parser = argparse.ArgumentParser(
        prog="manage.py doctor", description="Check the installation and say what to do about each problem. It changes nothing."
    )
    folder = Path(os.environ.get("DATA_DIR") or ROOT / ".data")
    parser.add_argument(
        "--data", type=Path, default=folder, metavar="DIR", help="data folder, as for `start` (default: %(default)s)"
    )
    given: Path = parser.parse_args(arguments).data
    return given.expanduser().absolute()


def _lines(subject: str, finding: Finding) -> str:
    head = f"{finding.verdict:<8} {subject:<18} "
    indent = " " * len(head)
    text = fill(
        finding.text, WIDTH, initial_indent=head, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    if not finding.remedy:
        return f"{text}\n"
    remedy = fill(finding.remedy, WIDTH, initial_indent=f"{indent}→ ", subsequent_indent=f"{indent}  ", break_long_words=False)
    return f"{text}\n{remedy}\n"
