"""Does the server do what its OpenAPI document says, whatever is generated from it?"""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import positive_data_acceptance

from openenv_api.rest.schema import document
from tests.openenv.servers import Server
from tests.rest.api import Api

load_all_checks()
#: Whether a fixture, a column or an SQL statement is there is not for a schema to say.
NOT_ASKED = [positive_data_acceptance]
CALL = "POST /api/v1/instances/{instance}/calls"


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with Server(fixtures_dir=tmp_path_factory.mktemp("fixtures"), sql_timeout_s=1, max_instances=100_000) as server:
        yield server


@pytest.fixture(scope="module")
def instances(running):
    return Instances(Api(running))


class Instances:
    """An instance that is there, with something in it, for paths that would hardly hit one."""

    def __init__(self, api):
        self._api = api
        self._open = self._new()

    def _new(self):
        made = self._api.opened()
        made.result("deposit", amount=3)
        made.post("/checkpoints")
        return made

    @property
    def one(self):
        if self._open.get().status == 409:
            self._open = self._new()
        return self._open.id


schema = schemathesis.openapi.from_dict(json.loads(document()))


@schema.parametrize()
@settings(max_examples=40, suppress_health_check=list(HealthCheck), derandomize=True)
def test_every_answer_is_one_that_the_document_describes(case, running, instances):
    known = {"world": "bank", "instance": instances.one, "table": "accounts", "checkpoint": "1"}
    for name in case.path_parameters or {}:
        if name in known:
            case.path_parameters[name] = known[name]
    if case.operation.label == CALL and case.meta.generation.mode is GenerationMode.POSITIVE:
        case.body["tool"] = "deposit"  # what is made up names none, and would see the answer to that alone
    case.call_and_validate(base_url=running.url, excluded_checks=NOT_ASKED)
