"""How does a test talk to the REST API of a server, as somebody in particular?"""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

PREFIX = "/api/v1"
KEYS = {scope: f"a-key-for-an-{scope}" for scope in ("agent", "evaluator", "admin")}
API_KEYS = ",".join(f"{scope}:{key}" for scope, key in KEYS.items())


class Answer:
    """What came back: status, headers, body, and the body as JSON."""

    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        """The error in it, in the one shape."""
        found = self.json["error"]
        assert set(self.json) == {"error"}
        assert set(found) == {"code", "message", "details", "incident"}
        return found

    @property
    def is_refusal(self):
        return self.status, self.error["code"]


class Api:
    """The API as whoever has a secret sees it."""

    def __init__(self, server, secret=None, **headers):
        self.server, self.secret = server, secret
        self.headers = headers | ({"Authorization": f"Bearer {secret}"} if secret else {})

    def having(self, secret):
        return Api(self.server, secret)

    def ask(self, method, path, body=None, **headers):
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        kind = {"Content-Type": "application/json"} if data is not None else {}
        where = path if path.startswith("/api") else PREFIX + path
        request = Request(
            self.server.url + where, data=data, headers={**kind, **self.headers, **headers}, method=method
        )
        try:
            with urlopen(request, timeout=60) as response:
                return Answer(response)
        except HTTPError as error:
            with error:
                return Answer(error)

    def get(self, path, **headers):
        return self.ask("GET", path, **headers)

    def post(self, path, body=None, **headers):
        return self.ask("POST", path, body, **headers)

    def delete(self, path, **headers):
        return self.ask("DELETE", path, **headers)

    def opened(self, world="bank", **start):
        """A new instance."""
        answer = self.post("/instances", {"world": world, **start})
        assert answer.status == 201, answer.body
        return Opened(self, answer.json)


class Opened:
    """One instance, and paths below it."""

    def __init__(self, api, told):
        self.api, self.told, self.id = api, told, told["id"]
        self.path = f"/instances/{self.id}"

    def get(self, below=""):
        return self.api.get(self.path + below)

    def post(self, below, body=None):
        return self.api.post(self.path + below, {} if body is None else body)

    def delete(self, below=""):
        return self.api.delete(self.path + below)

    def call(self, tool, **arguments):
        return self.post("/calls", {"tool": tool, "arguments": arguments})

    def result(self, tool, **arguments):
        answer = self.call(tool, **arguments).json
        assert answer["error"] is None, answer
        return answer["result"]

    def seen_by(self, secret):
        return Opened(self.api.having(secret), self.told)
