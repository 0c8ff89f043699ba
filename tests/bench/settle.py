"""`python -m tests.bench.settle`, in the environment of a started Pilothouse: stores tokens and makes share links.

All for the first owner. Reads JSON from standard input, so that no token is on a command line: `tokens`, a list of [kind, space,
token], and `links`, a list of [space, bucket, key, whether it shows a page first]. Prints the codes of the links, one a line.
"""

import json
import sys
from datetime import timedelta

import django


def main() -> None:
    django.setup()
    from django.utils import timezone

    from dashboard.links.lifecycle import Terms, make
    from dashboard.team.services import first_owner
    from dashboard.tokens import credentials

    asked, person = json.load(sys.stdin), first_owner("owner@localhost")
    for kind, space, token in asked["tokens"]:
        credentials.store(person, kind, space, token)
    for space, bucket, key, landing in asked["links"]:
        terms = Terms(ends_at=timezone.now() + timedelta(days=1), landing=landing)
        sys.stdout.write(f"{make(person, space, bucket, keys=[key], terms=terms)[1]}\n")


if __name__ == "__main__":
    main()
