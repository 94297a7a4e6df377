"""What does the OpenAPI document say of the REST API that its serializers do not?"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.urls import include, path
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from openenv_api import protocol
from openenv_api.rest.authentication import BySecretDescribed
from openenv_api.rest.errors import CODES
from openenv_api.rest.fields import Strict
from openenv_api.rest.responses import Error

PREFIX = "api/v1/"
_SAID = CODES | {400: "bad_request, invalid_json", 500: "internal_error, with an incident", 504: "timeout"}


class Schema(AutoSchema):
    """An operation with its refusals, and who may ask for it."""

    view: Any

    def get_tags(self) -> list[str]:
        return [self.view.tag]

    def get_description(self) -> str:  # type: ignore[override]
        needs = getattr(self._handler, "needs", None)
        who = f"\n\nNeeds the scope {needs.name.lower()}." if needs else ""
        return super().get_description() + who

    def get_summary(self) -> str:
        return (self._handler.__doc__ or "").partition("\n")[0].rstrip(".")

    def get_auth(self) -> list[dict[str, list[str]]]:
        super().get_auth()  # registers them
        ways: list[dict[str, list[str]]] = [{way: []} for way in BySecretDescribed.name]
        return [*ways, {}]  # any of them; none on a server without keys

    @property
    def _handler(self) -> Any:
        return getattr(self.view, self.method.lower())

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status in sorted({*self.view.refuses, *getattr(self._handler, "refuses", ())}):
            bodies[str(status)] = self._get_response_for_code(Error, str(status), ["application/json"], direction)
            bodies[str(status)]["description"] = _SAID[status]
        return bodies

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> dict[str, Any]:
        schema: dict[str, Any] = super()._map_basic_serializer(serializer, direction)
        if isinstance(serializer, Strict):
            schema["additionalProperties"] = False
        return schema


@cache
def document() -> bytes:
    """The OpenAPI document of the REST API, as JSON."""
    routes = [path(PREFIX, include("openenv_api.rest.urls"))]
    made = SchemaGenerator(patterns=routes).get_schema(request=None, public=True)
    return protocol.encode(made)
