"""`python -m tests.bench.settle`, in the environment of a started Pilothouse: stores the sink's token for the first owner."""

import django
import jwt


def main() -> None:
    django.setup()
    from dashboard.team.services import first_owner
    from dashboard.tokens import services

    token = jwt.encode({"iss": "bench", "role": "service_role"}, "bench-" * 8, algorithm="HS256")
    services.store(first_owner("owner@localhost"), "storage", "shared", token)


if __name__ == "__main__":
    main()
