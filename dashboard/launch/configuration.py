"""The checks of `manage.py doctor` that need no Django: settings and keys. Standard library only."""

import difflib
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dashboard.launch.environment import needs_sandbox
from dashboard.launch.risks import risks
from dashboard.launch.rules import RULES, Refusal, problems, setting

KEYS = ("SECRET_KEY", "VAULT_KEYS")
# Counts MANAGMENT_URL and SHARE_COLOUR as misspelt settings, but not SSL_CERT_DIR and XDG_DATA_DIRS.
LIKENESS = 0.84


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report and, unless it is "ok", the remedy. Never quotes a value that may be secret."""

    verdict: Literal["ok", "warning", "problem"]
    text: str
    remedy: str = ""


def settings(environ: Mapping[str, str], data: Path) -> Iterator[Finding]:
    """Check each setting, and that a service is configured or the sandbox was started."""
    wrong, risky, strange = problems(environ), risks(environ), list(_near_misses(environ))
    yield from (Finding("problem", sentence, "README.md, Configuration, describes the setting.") for sentence in wrong)
    yield from (Finding("warning", sentence, "Change it unless you know why it is so.") for sentence in risky)
    yield from strange
    if not wrong and needs_sandbox(environ) and not (data / "ports.json").is_file():
        text = f"No service is configured, and no sandbox was started in {data}."
        yield Finding("problem", text, "Set MANAGEMENT_URL or STORAGE_URL, or name the folder of `manage.py start` with --data.")
    elif not wrong and not risky and not strange:
        yield Finding("ok", "All settings are valid.")


def _near_misses(environ: Mapping[str, str]) -> Iterator[Finding]:
    known = {*RULES, *(f"{name}_FILE" for name in RULES)}
    for name in sorted(environ.keys() - known):
        if near := difflib.get_close_matches(name.upper(), known, n=1, cutoff=LIKENESS):
            yield Finding(
                "warning", f"{name} is not a setting; {near[0]} is.", f"Rename it if it is meant for Pilothouse: {near[0]}."
            )


def keys(environ: Mapping[str, str], data: Path) -> Iterator[Finding]:
    """Check that both keys exist and are valid, and that nobody else can read the key files of `start`."""
    for name in KEYS:
        file = data / name.lower()
        try:
            if setting(environ, name):
                yield Finding("ok", f"{name} is set.")
                continue
            kept = file.read_text().strip()
        except (Refusal, OSError, UnicodeDecodeError):
            remedy = "Bring back the key that the database was used with. For a new installation, run `manage.py start` once."
            yield Finding("problem", f"{name} is not set, and {file} can't be read.", remedy)
            continue
        if wrong := problems({name: kept}) or ([] if kept else [f"{name} is empty"]):
            yield Finding("problem", f"The file {file} is damaged: {wrong[0]}", "Restore it from your copy of the keys.")
        elif stat.S_IMODE(file.stat().st_mode) & 0o077:
            yield Finding("problem", f"Other accounts of this machine can read {file}.", f"chmod 600 {file}")
        else:
            yield Finding("ok", f"{name} is in {file}, which only this account can read.")
