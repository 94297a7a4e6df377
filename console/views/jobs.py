"""How far is work that takes its time?"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from console.pages import Problem, go, page, show
from console.progress import JOBS


@page()
async def detail(request: HttpRequest, job_id: str) -> HttpResponse:
    """The steps of a job; its outcome once it is done."""
    job = JOBS.get(job_id)
    if job is None:
        raise Problem(
            "This server knows of no such work: it was done long ago, or the server was restarted meanwhile and the "
            "work is to be begun again.",
            404,
        )
    if job.is_over and not job.problem:
        return go(request, job.to)
    return show(request, "console/jobs/detail.html", {"job": job}, part="job")
