"""The checks of `manage.py doctor` that need no Django: settings and keys. Standard library only."""

import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dashboard.launch.environment import needs_sandbox
from dashboard.launch.risks import risks
from dashboard.launch.rules import Refusal, problems, setting

KEYS = ("SECRET_KEY", "VAULT_KEYS")


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report and, unless it is "ok", what to do. Never quotes a value that may be secret."""

    verdict: Literal["ok", "warning", "problem"]
    text: str
    remedy: str = ""


def settings(environ: Mapping[str, str], data: Path) -> Iterator[Finding]:
    """Check each setting, and that a service is named or the sandbox was started."""
    wrong, risky = problems(environ), risks(environ)
    yield from (Finding("problem", sentence, "README.md, Configuration, describes the setting.") for sentence in wrong)
    yield from (Finding("warning", sentence, "Change it unless you know why it is so.") for sentence in risky)
    if not wrong and needs_sandbox(environ) and not (data / "ports.json").is_file():
        text = f"No service is configured, and no sandbox was started in {data}."
        yield Finding("problem", text, "Set MANAGEMENT_URL or STORAGE_URL, or name the folder of `manage.py start` with --data.")
    elif not wrong and not risky:
        yield Finding("ok", "All settings are valid.")


def keys(environ: Mapping[str, str], data: Path) -> Iterator[Finding]:
    """Check that both keys are there and valid, and that nobody else can read the files of `start`."""
    for name in KEYS:
        file = data / name.lower()
        try:
            if setting(environ, name):
                yield Finding("ok", f"{name} is set.")
                continue
            kept = file.read_text().strip()
        except (Refusal, OSError, UnicodeDecodeError):
            yield Finding("problem", f"{name} is not set, and {file} can't be read.", "Set it, or run `manage.py start` once.")
            continue
        if wrong := problems({name: kept}) or ([] if kept else [f"{name} is empty"]):
            yield Finding("problem", f"The file {file} is damaged: {wrong[0]}", "Restore it from your copy of the keys.")
        elif stat.S_IMODE(file.stat().st_mode) & 0o077:
            yield Finding("problem", f"Other accounts of this machine can read {file}.", f"chmod 600 {file}")
        else:
            yield Finding("ok", f"{name} is in {file}, which only this account can read.")
