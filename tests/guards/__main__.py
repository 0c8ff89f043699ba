"""Try the guards: `python -m tests.guards`.

The sound text stands in its file exactly once, the file still loads with the fault, and the test fails by an assertion. That it
passes without the fault is seen by the run of all tests. Each fault is tried in place; where it isn't detected, a copy of the
repository that has it decides. Words after the command limit the run to guards that name one of them.
"""

import os
import queue
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography.fernet import Fernet

from tests.guards import GUARDS
from tests.guards.guard import BEGIN, BY_ASSERTION, Guard

ROOT = Path(__file__).resolve().parent.parent.parent
COPIED = ("dashboard", "static", "templates", "tests", "manage.py", "pyproject.toml", "README.md")
COPIES = 2
PYTEST = (sys.executable, "-m", "pytest", "-q", "-rf", "--exhaustive", "-p", "no:randomly", "-p", "no:cacheprovider")
NOTICED = re.compile(rf"^FAILED \S.* - ({'|'.join(BY_ASSERTION)})", re.MULTILINE)
SECONDS = 300


def main(words: list[str]) -> int:
    """Try the guards, and print those whose fault no test detects. Return how many these are."""
    wanted = [guard for guard in GUARDS if not words or any(word in f"{guard} {guard.test}" for word in words)]
    with TemporaryDirectory(prefix="pilothouse-guards-") as folder, ThreadPoolExecutor(COPIES) as pool:
        copies: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for number in range(COPIES):
            copies.put(_copy(Path(folder) / f"copy {number}"))
        shared = _prepared(Path(folder))

        def try_in_place(part: int) -> set[Guard]:
            return noticed_in_place(wanted[part::COPIES], Path(folder) / f"noticed {part}", shared)

        def try_out(guard: Guard) -> str:
            copy = copies.get()
            try:
                return judge(guard, copy, shared)
            finally:
                copies.put(copy)

        noticed = set().union(*pool.map(try_in_place, range(COPIES)))
        left = [guard for guard in wanted if guard not in noticed]
        verdicts = list(pool.map(try_out, left))
    found = [f"{guard}\n  {verdict}" for guard, verdict in zip(left, verdicts, strict=True) if verdict]
    sys.stdout.write("\n".join([*found, f"{len(wanted) - len(found)} of {len(wanted)} guards hold.\n"]))
    return len(found)


def noticed_in_place(guards: list[Guard], result: Path, shared: dict[str, str]) -> set[Guard]:
    """Return those whose fault their test detects in place."""
    tests = sorted({guard.test for guard in guards})
    numbers = ",".join(str(GUARDS.index(guard)) for guard in guards)
    subprocess.run(
        [*PYTEST, "-p", "tests.guards.in_place", f"--guards={numbers}", f"--noticed={result}", BEGIN, *tests],
        cwd=ROOT,
        env=_plain_environment() | shared,
        capture_output=True,
        check=False,
    )
    found = result.read_text() if result.exists() else ""
    return {GUARDS[int(number)] for number in found.split(",") if number}


def judge(guard: Guard, copy: Path, shared: dict[str, str]) -> str:
    """Return what is wrong with a guard; "" if its test detects the fault."""
    path = copy / guard.file
    sound, stat = path.read_text(), path.stat()
    if (count := sound.count(guard.sound)) != 1:
        return f"The text stands there {count} times."
    broken = sound.replace(guard.sound, guard.broken)
    if path.suffix == ".py":
        compile(broken, guard.file, "exec")
    path.write_text(broken)
    # Scripts are bundled once, so a broken one needs a run of its own.
    environment = shared if path.suffix == ".py" else {}
    try:
        run = subprocess.run(
            [*PYTEST, "-x", guard.test],
            cwd=copy,
            env=_plain_environment() | environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{guard.test} took longer than {SECONDS} s."
    finally:
        path.write_text(sound)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    if run.returncode == 0:
        return f"{guard.test} doesn't notice:\n{guard.broken.strip()}"
    return "" if NOTICED.search(run.stdout) else f"{guard.test} failed by no assertion:\n{run.stdout[-2000:]}{run.stderr[-500:]}"


def _copy(folder: Path) -> Path:
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        else:
            shutil.copy2(ROOT / name, folder)
    return folder


def _prepared(folder: Path) -> dict[str, str]:
    """Return the variables by which runs share the tables and static files of a sound copy."""
    run = folder / "run"
    run.mkdir()
    shared = {"PILOTHOUSE_TEST_RUN": str(run), "VAULT_KEYS": Fernet.generate_key().decode()}
    prepare = "import tests.environment; from tests.launch.command import prepared; prepared()"
    subprocess.run([sys.executable, "-c", prepare], cwd=folder / "copy 0", env=_plain_environment() | shared, check=True)
    return shared


def _plain_environment() -> dict[str, str]:
    """Return our variables without the options of the run that this one is part of. CI keeps pytest from cutting its lines."""
    return {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"} | {"CI": "true"}


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 100))
