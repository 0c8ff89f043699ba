"""`python -m tests.bench.settle`, in the environment of a started Pilothouse: stores tokens, makes share links, gives access.

All for the first owner. Reads JSON from standard input, so that no token is on a command line: `tokens`, a list of [kind, space,
token], `links`, a list of [space, bucket, key or folder, whether it shows a page first], `requests`, a list of [space, bucket,
folder], and `grants`, a list of [e-mail, kind, place, acts, sections, folders]. Prints the codes of the links, one a line.
"""

import json
import sys
from datetime import timedelta

import django


def main() -> None:
    django.setup()
    from django.utils import timezone

    from dashboard.features.access.services import grants
    from dashboard.features.file_requests.services import requests
    from dashboard.links.lifecycle import Terms, make
    from dashboard.team.models import Person
    from dashboard.team.services import first_owner
    from dashboard.tokens import credentials
    from dashboard.tokens.workspace import Workspace

    asked, person = json.load(sys.stdin), first_owner("owner@localhost")
    for kind, space, token in asked.get("tokens", ()):
        credentials.store(person, kind, space, token)
    for space, bucket, key, landing in asked.get("links", ()):
        terms = Terms(ends_at=timezone.now() + timedelta(days=1), landing=landing)
        keys, folders = ([], [key]) if key.endswith("/") else ([key], [])
        sys.stdout.write(f"{make(person, space, bucket, keys=keys, folders=folders, terms=terms)[1]}\n")
    for space, bucket, folder in asked.get("requests", ()):
        wanted = requests.Terms(
            title="Bench",
            note="",
            types="",
            most_bytes=1 << 20,
            most_files=100,
            most_total=1 << 30,
            password=None,
            ends_at=timezone.now() + timedelta(days=1),
            zone="",
        )
        sys.stdout.write(f"{requests.make(Workspace(person), space, bucket, folder, wanted)[1]}\n")
    for email, kind, place, acts, sections, folders in asked.get("grants", ()):
        limits = grants.Terms(acts=tuple(acts), sections=tuple(sections), folders=tuple(folders))
        grants.give(person, place, {kind: limits}, people=[Person.objects.get(email=email)])


if __name__ == "__main__":
    main()
