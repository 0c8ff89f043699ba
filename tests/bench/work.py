"""`python -m tests.bench.work`, in the environment of a started Pilothouse: begins one job for the first owner, and waits for it.

Reads JSON from standard input (verb, space, bucket, source, to); prints how many seconds planning, and doing and checking, took.
"""

import json
import sys
import time

import django


def main() -> None:
    django.setup()
    from dashboard.catalog.query import EVERYTHING
    from dashboard.catalog.selection import Selection
    from dashboard.features.bulk import services as jobs
    from dashboard.features.bulk.rules import into
    from dashboard.jobs import transitions
    from dashboard.jobs.models import State
    from dashboard.snapshots import capture, restore
    from dashboard.snapshots.manifest import read_heads
    from dashboard.team.services import first_owner
    from dashboard.tokens.workspace import Workspace

    told = json.load(sys.stdin)
    workspace, space, bucket = Workspace(first_owner("owner@localhost")), told["space"], told["bucket"]
    selection = Selection(space, bucket, folders=(told["source"],))
    if told["verb"] == "snapshot":
        job = capture.begin(workspace, space, bucket, back="/")
    elif told["verb"] == "restore":
        everything = Selection(space, bucket, filter=EVERYTHING)
        job = restore.begin(workspace, read_heads(capture.store())[-1], everything, to_space=space, to_bucket=bucket, back="/")
    elif told["verb"] == "delete":
        job = jobs.delete(workspace, selection, back="/")
    else:
        job = jobs.transfer(workspace, into("move", selection, told["bucket"], told["to"]), back="/")
    agreed = None
    while job.state not in {State.DONE, State.FAILED}:
        time.sleep(0.05)
        job.refresh_from_db()
        if job.state == State.PLANNED:
            transitions.apply(job)
            agreed = time.time()
    if job.state != State.DONE or job.failed:
        raise RuntimeError(f"{job.state}: {job.message}")
    assert job.ended_at
    planned = job.planned_at or job.created_at
    begun = agreed or planned.timestamp()
    seconds = {"plan": (planned - job.created_at).total_seconds(), "rest": job.ended_at.timestamp() - begun}
    sys.stdout.write(json.dumps(seconds))


if __name__ == "__main__":
    main()
