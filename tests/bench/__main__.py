"""`python -m tests.bench WHAT [--rounds N]`: one of the benches below."""

import argparse

from tests.bench import (
    archives,
    downloads,
    home,
    hostile,
    jobs,
    listing,
    pages,
    palette,
    search,
    sharing,
    slow,
    snapshots,
    start,
    thumbnails,
    uploads,
)

BENCHES = {
    "uploads": uploads.run,
    "downloads": downloads.run,
    "slow": slow.run,
    "start": start.run,
    "pages": pages.run,
    "search": search.run,
    "sharing": sharing.run,
    "zip": archives.run,
    "listing": listing.run,
    "jobs": jobs.run,
    "home": home.run,
    "hostile": hostile.run,
    "palette": palette.run,
    "thumbnails": thumbnails.run,
    "snapshots": snapshots.run,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("what", choices=BENCHES, nargs="?", default="uploads")
    parser.add_argument(
        "--rounds", type=int, default=3, help="alternating rounds; the table shows medians (default: %(default)s)"
    )
    given = parser.parse_args()
    BENCHES[given.what](rounds=given.rounds)


if __name__ == "__main__":
    main()
