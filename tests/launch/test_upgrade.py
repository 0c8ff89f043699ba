"""An installation of before is brought up to date by `prepare`, with everything that people made in it."""

import subprocess
import sys
from pathlib import Path

from tests.launch.command import ROOT, environment
from tests.launch.replicas import KEYS, NOWHERE

# Fingerprints had eight digits, and they and the digests of share codes were keyed with SECRET_KEY.
BEFORE = """
import hmac
from hashlib import sha256
import django
django.setup()
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from dashboard.vault.sealing import Sealed

executor = MigrationExecutor(connection)
before = [
    ("tokens", "0001_initial"), ("index", "0001_initial"), ("functions", "0002_bundle_paths"), ("hostname", "0001_start"),
    ("network", "0001_initial"), ("links", "0003_zone"), ("journal", "0002_settled_outcomes"), ("team", "0001_initial"),
]
executor.migrate(before)
old = executor.loader.project_state(before).apps

def keyed(text):
    return hmac.new(settings.SECRET_KEY.encode(), text.encode(), sha256).hexdigest()

ada = old.get_model("team", "Person").objects.create(email="ada@example.org", role="owner")
sealed = Sealed.seal("a text", owner=ada.pk, purpose="token:storage:s")
short = keyed("token fingerprint:a text")[:8]
old.get_model("tokens", "StoredToken").objects.create(
    person=ada, kind="storage", space="s", last4="text", fingerprint=short, sealed=sealed
)
old.get_model("index", "Catalog").objects.create(space="s", bucket="b", token=short)
print(keyed("share link:" + "c" * 22))
"""
AFTER = """
import django
django.setup()
from dashboard.index.models import Catalog
from dashboard.links.codes import digest
from dashboard.tokens.fingerprint import fingerprint
from dashboard.tokens.models import StoredToken
token = StoredToken.objects.get()
assert token.open() == "a text"
assert len(token.fingerprint) == 32
assert token.fingerprint == fingerprint("a text") == Catalog.objects.get().token
print(digest("c" * 22))
"""


def test_fingerprints_grow_and_share_links_still_open(tmp_path: Path) -> None:
    given = {**KEYS, "DATA_DIR": str(tmp_path), "MANAGEMENT_URL": NOWHERE, "DJANGO_SETTINGS_MODULE": "dashboard.settings"}

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=ROOT, env=environment(given), capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    stored = run("-c", BEFORE)
    run("manage.py", "prepare")
    assert run("-c", AFTER) == stored
