"""Run a job in the process of the test."""

from dashboard.jobs.lease import WorkerHandle, claim
from dashboard.jobs.runner import run


def run_once(job_id: int) -> None:
    """Claim the job and run it for one turn. Does nothing if it can't be claimed."""
    handle = WorkerHandle()
    if job := claim(job_id, handle):
        run(job, handle)
