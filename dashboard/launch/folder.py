"""The data folder: private, locked by one start at a time, with generated keys."""

import base64
import fcntl
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dashboard.launch.rules import Refusal, check, setting
from dashboard.launch.troubles import of_file

DATABASE = "pilothouse.sqlite3"


@dataclass(frozen=True, slots=True)
class Folder:
    """An open and locked data folder. The lock is held until the process ends."""

    path: Path
    lock: int

    @classmethod
    def open(cls, path: Path) -> "Folder":
        """Create the folder (mode 0700) if missing, check that it is writable, and lock it. Raises `Refusal`."""
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise Refusal(str(of_file(error, path))) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            raise Refusal(
                f"Pilothouse is already running on the data folder {path}. Stop it first, or choose another with --data."
            ) from error
        return cls(path=path, lock=lock)

    def keys(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return SECRET_KEY and VAULT_KEYS from the environment or this folder; generate missing ones."""
        return {
            "SECRET_KEY": setting(environ, "SECRET_KEY") or self._kept("SECRET_KEY", secrets.token_urlsafe(48)),
            "VAULT_KEYS": setting(environ, "VAULT_KEYS") or self._vault_keys(),
        }

    def _vault_keys(self) -> str:
        if (self.path / DATABASE).exists() and not (self.path / "vault_keys").exists():
            raise Refusal(
                f"The keys of the stored tokens in {self.path} are missing. "
                f"Set VAULT_KEYS, or restore the file {self.path / 'vault_keys'}."
            )
        return self._kept("VAULT_KEYS", base64.urlsafe_b64encode(secrets.token_bytes(32)).decode())

    def _kept(self, name: str, fresh: str) -> str:
        file = self.path / name.lower()
        try:
            if not file.exists():
                aside = file.with_suffix(".new")
                aside.unlink(missing_ok=True)
                with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as target:
                    target.write(fresh + "\n")
                    target.flush()
                    os.fsync(target.fileno())
                aside.rename(file)
            value = file.read_text().strip()
        except OSError as error:
            raise Refusal(str(of_file(error, file))) from error
        except UnicodeDecodeError as error:
            raise Refusal(f"The file {file} is damaged: it holds no text.") from error
        if not value:
            raise Refusal(f"The file {file} is empty. Restore its content, or set {name} in the environment.")
        try:
            check({name: value})
        except Refusal as refusal:
            raise Refusal(f"The file {file} is damaged: {refusal}") from refusal
        return value
