"""`manage.py start`: prepare the installation, start all processes and stop them together.

Standard library only, because Django reads its settings at import, and these depend on the folder, keys, ports and addresses
chosen here. The worker, which prepares first, and the sandbox start in parallel; the web server follows once the tables exist.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dashboard.launch import environment
from dashboard.launch.folder import Folder
from dashboard.launch.ports import SandboxPorts, listen, sandbox_ports
from dashboard.launch.rules import Refusal, check, setting
from dashboard.launch.supervisor import ROOT, Crew, Part, PartFailed, Stopped
from dashboard.launch.troubles import of_file

READY_SECONDS = 60.0
REFUSED, FAILED = 2, 1


@dataclass(frozen=True, slots=True)
class Options:
    """The command line's options."""

    host: str
    port: int
    data: Path


def main(arguments: Sequence[str]) -> int:
    """Return the exit status: 0 after Ctrl-C or SIGTERM, 2 for a wrong setting, 1 if a part failed."""
    options = parse(arguments)
    os.umask(0o077)
    try:
        return run(options)
    except Refusal as refusal:
        sys.stderr.write(f"pilothouse: {refusal}\n")
        return REFUSED
    except OSError as error:
        sys.stderr.write(f"pilothouse: {of_file(error, options.data)}\n")
        return REFUSED
    except PartFailed as failure:
        sys.stderr.write(f"pilothouse: {failure}\n")
        return FAILED
    except (Stopped, KeyboardInterrupt):
        return 0


def parse(arguments: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(
        prog="manage.py start",
        description="Prepare the database, then run the web server, the worker and, where no service is configured, the sandbox.",
        epilog="Everything else is set in the environment; README.md lists the names.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=_port, default=8000, help="port to listen on (default: %(default)s)")
    parser.add_argument(
        "--data", type=Path, default=None, metavar="DIR", help="data folder (default: DATA_DIR, else .data beside manage.py)"
    )
    given = parser.parse_args(arguments)
    data = given.data or Path(setting(os.environ, "DATA_DIR") or ROOT / ".data")
    return Options(host=given.host, port=given.port, data=data.expanduser().absolute())


def run(options: Options) -> int:
    """Start every part and supervise them until asked to stop."""
    check(os.environ)
    folder = Folder.open(options.data)
    keys = folder.keys(os.environ)
    (folder.path / environment.SNAPSHOTS).mkdir(mode=0o700, exist_ok=True)
    with listen(options.host, options.port) as listener, Crew() as crew:
        ports = None
        if environment.needs_sandbox(os.environ):
            ports = sandbox_ports(folder.path / "ports.json", options.port)
        address = environment.address(options.host, options.port, setting(os.environ, "PUBLIC_URL"))
        web_environ = environment.for_web(
            os.environ, data=folder.path, host=options.host, address=address, keys=keys, sandbox=ports
        )
        facts: dict[str, Any] = {"email": setting(os.environ, "OWNER_EMAIL"), "address": address, "sandbox": None}
        facts["fresh"] = ports is not None and not (folder.path / "sandbox").exists()

        sandbox = crew.begin(_sandbox(ports, folder.path)) if ports else None
        worker = crew.begin(_python("worker", ["-m", "dashboard.launch.prepare"], web_environ))
        _answer(crew, worker, late=_say_preparing)
        web = crew.begin(_web(web_environ, listener.fileno()))
        if sandbox:
            facts["sandbox"] = json.loads(crew.line(sandbox, READY_SECONDS))
        crew.tell(worker, json.dumps(facts))
        owner = _answer(crew, worker)
        # Started again, it prepares nothing.
        worker.command = [sys.executable, "manage.py", "work"]
        crew.line(web, READY_SECONDS)
        crew.line(worker, READY_SECONDS)
        _say(welcome(address, owner, folder.path, ports))
        crew.watch(_warn)
        _warn("Stopping. Ctrl-C again ends running transfers at once.")
    return 0


def welcome(address: str, owner: dict[str, Any], data: Path, ports: SandboxPorts | None) -> str:
    """Return the text printed when everything is ready."""
    lines = [f"Pilothouse is ready: {address}/", ""]
    if owner.get("link"):
        lines += [f"Sign in as {owner['email']}: this link works once and lets you choose a password.", f"  {owner['link']}"]
    else:
        lines += [f"Sign in as {owner['email']} with your password."]
    if ports:
        lines += ["", "No service is configured, so Pilothouse uses its sandbox, for trials and tests."]
    if ports and ports.moved:
        lines += [f"Its usual port is taken, so it uses {ports.http}. Earlier signed links don't work until then."]
    return "\n".join([*lines, "", f"Data: {data}    Ctrl-C ends everything.", ""])


def _answer(crew: Crew, worker: Part, late: Callable[[], None] | None = None) -> dict[str, Any]:
    try:
        # No limit: an upgrade of a large database may take long.
        words: dict[str, Any] = json.loads(crew.line(worker, late=late))
    except ValueError as error:
        raise PartFailed("The preparation printed no result.") from error
    if problem := words.get("problem"):
        raise Refusal(problem)
    return words


def _say_preparing() -> None:
    _warn("Preparing the database and the static files. After an upgrade this may take minutes.")


def _sandbox(ports: SandboxPorts, data: Path) -> Part:
    options = ["--data", str(data / "sandbox"), "--port", str(ports.http), "--dns-port", str(ports.dns)]
    part = _python("sandbox", ["-m", "dashboard.sandbox", *options], environment.for_sandbox(os.environ))
    part.alone = True
    return part


def _web(environ: dict[str, str], listener: int) -> Part:
    command = ["-m", "gunicorn", "-c", "python:dashboard.launch.gunicorn_config", "--bind", f"fd://{listener}"]
    return _python("web server", command, environ, descriptors=[listener])


def _python(name: str, arguments: list[str], environ: dict[str, str], descriptors: Sequence[int] = ()) -> Part:
    return Part(name=name, command=[sys.executable, *arguments], environ=environ, descriptors=descriptors)


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError("must be a number from 1 to 65535")
    return int(text)


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _warn(text: str) -> None:
    sys.stderr.write(f"pilothouse: {text}\n")
    sys.stderr.flush()
