"""What is stored of what an agent's tools did beside the API: queries, approvals, feedback?"""

from __future__ import annotations

from django.db import models

from worlds.engine import choices
from worlds.stripe.models.base import Resource
from worlds.stripe.words import QueryRunStatus


class QueryRun(Resource):
    """One question in SQL, and what came of it."""

    sql = models.TextField()
    template = models.CharField(max_length=60, null=True)  # noqa: DJ001 - null where the agent wrote the SQL
    status = models.CharField(max_length=9, choices=choices(QueryRunStatus))
    result = models.JSONField(null=True)
    error = models.TextField(null=True)  # noqa: DJ001

    object_name = "query_run"

    class Meta:
        db_table = "query_runs"


class Approval(Resource):
    """A write that waits for a person's word, and the token that stands for it."""

    operation = models.CharField(max_length=120)
    parameters_hash = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True)

    object_name = "approval"

    class Meta:
        db_table = "approvals"


class Feedback(Resource):
    """What an agent had to say about the tools."""

    feedback = models.TextField()
    context = models.TextField(null=True)  # noqa: DJ001
    sentiment = models.CharField(max_length=20, null=True)  # noqa: DJ001

    object_name = "feedback"

    class Meta:
        db_table = "feedback"
