"""Hooks of schemathesis: what a schema allows is never refused for its form, and what it does not allow is refused.

Each operation has a user of its own, because some end the session or the account. Set BASE_URL.
"""

import json
import os
import threading
import urllib.request
import uuid

import schemathesis
from schemathesis.core.parameters import ParameterLocation

BASE_URL = os.environ["BASE_URL"]
PASSWORD = "a good password"
FORM_CODES = {"invalid_request", "invalid_number"}

_lock = threading.Lock()
_users = {}


def _post(path, body, headers=None):
    headers = {"content-type": "application/json", **(headers or {})}
    request = urllib.request.Request(BASE_URL + path, json.dumps(body).encode(), headers, method="POST")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def _user_of(operation):
    with _lock:
        if operation not in _users:
            email = f"form-{uuid.uuid4()}@example.com"
            token = _post("/v1/auth/register", {"email": email, "password": PASSWORD})["access_token"]
            key = _post("/v1/auth/api-keys", {"name": "form"}, {"authorization": f"Bearer {token}"})["api_key"]
            _users[operation] = (token, key)
        return _users[operation]


@schemathesis.hook
def before_call(_context, case, _kwargs):
    described = case.operation.definition.raw
    schemes = [name for one in described.get("security") or [] for name in one]
    # A repetition is answered from what is remembered.
    case.headers.pop("Idempotency-Key", None)
    if "apiKey" in schemes:
        case.headers["X-API-Key"] = _user_of(described["operationId"])[1]
    elif "accessToken" in schemes:
        case.headers["Authorization"] = f"Bearer {_user_of(described['operationId'])[0]}"


@schemathesis.check
def form_is_the_schema(_context, response, case):
    described = case.operation.definition.raw
    if response.status_code == 401 or described["operationId"] == "deleteAccount":
        with _lock:
            _users.pop(described["operationId"], None)
    if case.meta is None:
        return
    if case.meta.generation.mode.is_positive:
        code = response.json().get("code") if response.status_code == 400 else None
        assert code not in FORM_CODES, f"the schema allows what is refused: {response.text}"
    elif response.status_code < 300:
        body = case.meta.components.get(ParameterLocation.BODY)
        assert body is None or body.mode.is_positive, "a body that the schema does not allow is taken"
        known = {one.name for one in case.operation.query}
        query = case.meta.components.get(ParameterLocation.QUERY)
        is_wrong = query is not None and not query.mode.is_positive and known and set(case.query) <= known
        assert not is_wrong, "a query that the schema does not allow is taken"
