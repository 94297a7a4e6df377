"""Who asks, and how does the OpenAPI document say that?"""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from openenv_api.access import Grant
from openenv_api.http import grant_for


class BySecret(BaseAuthentication):
    """There are no users: `request.auth` is what the secret is good for."""

    def authenticate(self, request: Request) -> tuple[None, Grant]:
        return None, grant_for(request._request)

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class BySecretDescribed(OpenApiAuthenticationExtension):
    target_class = BySecret
    name = ["bearer", "header", "query"]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        about = "An API key, or the agent token or owner token of an instance."
        return [
            {"type": "http", "scheme": "bearer", "description": about},
            {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": about},
            {"type": "apiKey", "in": "query", "name": "key", "description": about},
        ]
