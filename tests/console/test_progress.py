"""Is a job known until it is over, and how it ended after that?"""

from __future__ import annotations

import asyncio
import logging

import pytest

from console import progress
from console.progress import Jobs
from worlds.engine import WorldBug
from worlds.engine.images import Report


async def test_a_job_reports_its_steps_and_where_its_outcome_is() -> None:
    go_on = asyncio.Event()

    async def work(report: Report) -> str:
        report("crm/big", 0, 0)
        report("crm/big", 30, 120)
        await go_on.wait()
        return "/there/"

    jobs = Jobs()
    job = jobs.start("Build", work, back="/back/", key="k", kept="typed")
    assert jobs.start("Build", work, back="/back/", key="k") is job
    assert not await job.wait(0.01)
    assert [(step.what, step.percent) for step in job.steps] == [("crm/big", 25)]
    go_on.set()
    assert await job.wait(5)
    assert (job.to, job.problem, job.kept) == ("/there/", "", None)
    assert jobs.get(job.id) is job
    assert jobs.running("k") is None
    assert jobs.latest("k") is job


async def test_what_a_job_fails_with_is_told_and_what_was_typed_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    async def refused(report: Report) -> str:
        raise WorldBug("there is no such fixture")

    async def broken(report: Report) -> str:
        raise KeyError("secret")

    jobs = Jobs()
    job = jobs.start("Open", refused, back="/back/", kept={"seed": "1"})
    assert await job.wait(5)
    assert (job.problem, job.kept) == ("There is no such fixture.", {"seed": "1"})
    with caplog.at_level(logging.ERROR, logger="console"):
        job = jobs.start("Open", broken, back="/back/")
        assert await job.wait(5)
    assert job.id in job.problem
    assert "secret" not in job.problem
    assert job.id in caplog.text


async def test_jobs_that_are_over_are_forgotten_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "KEPT", 3)

    async def work(report: Report) -> str:
        return "/"

    jobs = Jobs()
    made = []
    for n in range(6):
        made.append(jobs.start(str(n), work, back="/"))
        await made[-1].wait(5)
    assert jobs.get(made[0].id) is None
    assert jobs.get(made[-1].id) is made[-1]
