"""100 episodes at once against a running server: a scripted policy, a real grader, the rewards.

    make run                                    # in one terminal
    .venv/bin/python examples/rollouts.py       # in another

The task: every lead that nobody touched for 90 days gets a follow-up task, due within a week - but nobody who asked not
to be emailed gets one. The policy stands where a model would: it makes the mistakes of its seed.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from rich.progress import Progress

from seahaven.openenv import AsyncSeahavenClient, ServerUnreachable

STALE_DAYS = 90
WEEK = timedelta(days=7)


async def policy(env: AsyncSeahavenClient, now: datetime, seed: int) -> set[str]:
    """Follow up on stale leads, with a carelessness of its own; answers the leads that deserve it, for the grader."""
    chance = random.Random(seed)
    carelessness = chance.choice([0.0, 0.0, 0.1, 0.3])
    wanted: set[str] = set()
    cursor = None
    while True:
        page = (await env.call("list_stale_leads", days=STALE_DAYS, limit=50, cursor=cursor)).result
        for lead in page["leads"]:
            if not lead["do_not_email"]:
                wanted.add(lead["id"])
            if lead["do_not_email"] and chance.random() >= carelessness:
                continue
            if chance.random() < carelessness / 2:
                continue
            due = now + (WEEK * 3 if chance.random() < carelessness / 3 else timedelta(days=2))
            subject = f"Follow up with {lead['first_name'] or lead['email']}"
            await env.call("create_task", subject=subject, due_at=due.isoformat(), lead_id=lead["id"])
        cursor = page["next_cursor"]
        if not cursor:
            return wanted


def grade(document: dict[str, Any], wanted: set[str], now: datetime) -> float:
    """How much of the task was done: reads what changed in the database, not what the agent says it did."""
    log = document["state"]["db"]["log"]
    tasks = [record["after"] for record in log if record["table"] == "activities" and record["op"] == "insert"]
    in_time = {row["lead_id"] for row in tasks if row["due_at"] and datetime.fromisoformat(row["due_at"]) <= now + WEEK}
    others = [record for record in log if record["table"] not in ("activities", "leads")]
    wrong = len(tasks) - len(in_time & wanted) + len(others)
    return max(0.0, (len(in_time & wanted) - wrong) / max(1, len(wanted)))


async def episode(url: str, fixture: str, seed: int) -> float:
    """One rollout, on a connection of its own."""
    async with AsyncSeahavenClient(base_url=url) as env:
        begun = await env.reset(fixture=fixture, seed=seed)
        now = datetime.fromisoformat(begun.metadata["now"])
        wanted = await policy(env, now, seed)
        return grade(await env.state(), wanted, now)


async def rollouts(url: str, fixture: str, episodes: int) -> list[float]:
    """All of them at once."""
    with Progress() as progress:
        bar = progress.add_task(f"{episodes} episodes on {fixture}", total=episodes)

        async def one(seed: int) -> float:
            reward = await episode(url, fixture, seed)
            progress.advance(bar)
            return reward

        return list(await asyncio.gather(*(one(seed) for seed in range(episodes))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--fixture", default="big_co")
    parser.add_argument("--episodes", type=int, default=100)
    options = parser.parse_args()
    try:
        rewards = asyncio.run(rollouts(options.url, options.fixture, options.episodes))
    except ServerUnreachable as error:
        raise SystemExit(f"{error}") from None
    for reward, count in sorted(Counter(round(reward, 2) for reward in rewards).items(), reverse=True):
        print(f"{reward:5.2f}  {'█' * count} {count}")
    print(f"mean {sum(rewards) / len(rewards):.3f} over {len(rewards)} episodes")


if __name__ == "__main__":
    main()
