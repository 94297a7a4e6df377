"""Is the OpenAPI document true, whole, and shown without the internet?"""

import re

import jsonschema  # type: ignore[import-untyped]
import pytest

from openenv_api.rest.urls import urlpatterns

#: Their paths answer something else than resources.
PAGES = {"root", "openapi", "docs"}


@pytest.fixture(scope="module")
def document(server):
    from tests.rest.api import Api

    return Api(server).get("/openapi.json").json


def test_every_path_is_in_it_and_leads_somewhere(document):
    routes = {
        "/api/v1/" + re.sub(r"<str:(\w+)>", r"{\1}", str(route.pattern))
        for route in urlpatterns
        if route.name not in PAGES
    }
    assert set(document["paths"]) == routes


def test_every_operation_says_who_may_and_what_may_go_wrong(document):
    assert document["openapi"].startswith("3.1")
    seen = set()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            assert operation["operationId"] not in seen
            seen.add(operation["operationId"])
            assert operation["summary"], where
            assert re.search(r"Needs the scope (agent|evaluator|admin)\.", operation["description"]), where
            assert {"400", "401", "403", "422", "500"} <= set(operation["responses"]), where
            for status, response in operation["responses"].items():
                if int(status) >= 400:
                    schema = response["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/Error"}, where
            if "{instance}" in path:
                assert {"404", "409"} <= set(operation["responses"]), where
            if method == "post":
                assert {"413", "415"} <= set(operation["responses"]), where
                (body,) = operation["requestBody"]["content"].values()
                name = body["schema"]["$ref"].rpartition("/")[2]
                assert document["components"]["schemas"][name]["additionalProperties"] is False, where


def test_its_schemas_are_schemas(document):
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_the_page_loads_nothing_from_elsewhere(server):
    from urllib.request import urlopen

    with urlopen(f"{server.url}/api/v1/docs") as response:
        page = response.read().decode()
        assert response.headers["Content-Security-Policy"].startswith("default-src 'self';")
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)
    assert not re.search(r"<script>|<style|\son\w+=", page)
    for target in re.findall(r"(?:src|href)=\"(/[^\"]+)\"", page):
        with urlopen(server.url + target) as response:
            assert response.status == 200
            assert len(response.read()) > 100
    with urlopen(f"{server.url}/static/rest/docs.js") as response:
        script = response.read().decode()
    assert "validatorUrl: null" in script
    assert "http" not in re.sub(r"//.*", "", script)
