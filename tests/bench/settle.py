"""`python -m tests.bench.settle`, in the environment of a started Pilothouse: stores tokens for the first owner.

Reads a JSON list of [kind, space, token] from standard input, so that no token is on a command line.
"""

import json
import sys

import django


def main() -> None:
    django.setup()
    from dashboard.team.services import first_owner
    from dashboard.tokens import credentials

    for kind, space, token in json.load(sys.stdin):
        credentials.store(first_owner("owner@localhost"), kind, space, token)


if __name__ == "__main__":
    main()
