"""Copied into a project with a world `hotel` made from `openapi_documents.pet_hotel`: does it do what that says?"""

import json
from typing import Any

import pytest

from seahaven.testing import assert_changes, delete, update
from worlds.engine import ArgumentError, HttpRequest, Instance, ToolError

pytestmark = pytest.mark.seahaven("small", seed=1)


def ask(instance: Instance, method: str, path: str, body: Any = None, query: str = "") -> tuple[int, Any]:
    """The status of an answer, and its JSON."""
    sent = b"" if body is None else json.dumps(body).encode()
    answer = instance.http(HttpRequest.of(method, path, query=query, body=sent))
    return answer.status, answer.json() if answer.body else None


def refusal(instance: Instance, tool: str, **arguments: object) -> ToolError:
    with pytest.raises(ToolError) as caught:
        instance.call(tool, **arguments)
    return caught.value


def test_tools_are_called_and_described_as_the_document_says(instance: Instance) -> None:
    tools = {tool["name"]: tool for tool in instance.tools()}

    assert tools["add_pet"]["description"] == "Check a guest in."
    schema = tools["add_pet"]["input_schema"]
    assert schema["required"] == ["name"]
    assert schema["properties"]["name"] == {
        "type": "string", "description": "What it answers to.", "minLength": 1, "maxLength": 60,
    }  # fmt: skip
    assert schema["properties"]["status"]["enum"] == ["arriving", "here", "gone"]
    assert "class" in schema["properties"]
    assert "photoUrls" in schema["properties"]
    assert "upload_photo" not in tools


def test_a_row_is_shown_in_the_documents_words(instance: Instance) -> None:
    pet = instance.call("add_pet", name="Rex", **{"class": "dog"})

    assert pet == {
        "name": "Rex", "status": "arriving", "class": "dog", "id": pet["id"],
        "createdAt": "2026-06-01T09:00:10.000Z", "updatedAt": "2026-06-01T09:00:10.000Z",
    }  # fmt: skip
    assert "password" not in instance.call("add_owner", username="ada", password="secret")


def test_what_the_document_forbids_is_refused(instance: Instance) -> None:
    for wrong in ({"name": ""}, {"name": "x" * 61}, {"name": "a", "weight": 0}, {"name": "a", "contact": "nobody"}):
        assert isinstance(refusal(instance, "add_pet", **wrong), ArgumentError)
    assert refusal(instance, "add_pet", name="Rex", owner_id="nobody").message.startswith("There is no owner nobody")
    assert refusal(instance, "add_owner", username="Owner 1").code == "conflict"
    assert refusal(instance, "show_pet_by_id", petId=99).message == "There is no pet 99. Look it up with list_pets."
    assert_changes(instance)


def test_a_change_is_of_what_is_given_and_moves_the_time(instance: Instance) -> None:
    pet = instance.call("list_pets")[0]
    changed = instance.call("update_pet", petId=pet["id"], name="Rex", clear=["weight", "photoUrls"])

    assert (changed["name"], changed["contact"]) == ("Rex", pet["contact"])
    assert not {"weight", "photoUrls"} & set(changed)
    assert_changes(instance, update("pets", pet["id"], name="Rex", weight=None, photo_urls=None))
    assert instance.call("update_pet", petId=pet["id"], name="Rex") == changed


def test_what_others_refer_to_stays_and_what_is_part_of_it_goes_along(instance: Instance) -> None:
    pet = instance.call("list_pets")[0]
    error = refusal(instance, "delete_pet", petId=pet["id"])
    assert error.code == "conflict"
    assert error.message.startswith(f"The pet {pet['id']} is in use by invoice ")

    owner = instance.call("add_owner", username="ada")["username"]
    instance.call("create_invoice", username=owner, amount_cents=5, due_on="2026-07-01")
    instance.call("remove_owner", username=owner)
    assert_changes(instance)

    unused = instance.call("add_pet", name="Rex")
    instance.call("delete_pet", petId=unused["id"])
    assert_changes(instance)


def test_lists_are_filtered_and_read_page_by_page(instance: Instance) -> None:
    pets = instance.call("list_pets")
    assert instance.call("list_pets", limit=1, offset=1) == pets[1:2]
    assert instance.call("list_pets", status="gone") == [pet for pet in pets if pet["status"] == "gone"]

    made = [
        instance.call("create_invoice", username="Owner 1", amount_cents=cents, due_on="2026-07-01") for cents in (1, 2)
    ]
    first = instance.call("list_invoices", username="Owner 1", per_page=2)
    rest = instance.call("list_invoices", username="Owner 1", per_page=2, cursor=first["next_cursor"])
    assert (first["has_more"], first["total"], rest["has_more"], rest["next_cursor"]) == (True, 3, False, None)
    assert (first["data"] + rest["data"])[1:] == made
    other = instance.call("list_invoices", username="Owner 2")["data"][0]["id"]
    assert refusal(instance, "list_invoices", username="Owner 1", cursor=other).code == "invalid_input"
    assert refusal(instance, "list_invoices", username="nobody").code == "not_found"


def test_the_http_api_keeps_the_same_rows(instance: Instance) -> None:
    status, pet = ask(instance, "POST", "/v2/pets", {"name": "Rex", "unknown": 1, "weight": 2.5})
    assert (status, pet["weight"]) == (201, 2.5)
    assert ask(instance, "GET", f"/pets/{pet['id']}") == (200, pet)
    assert instance.call("show_pet_by_id", petId=pet["id"]) == pet

    assert ask(instance, "GET", "/pets", query="limit=1&offset=3&sort=name") == (200, [pet])
    status, changed = ask(instance, "PATCH", f"/pets/{pet['id']}", {"weight": None, "status": "here"})
    assert (status, changed["status"], "weight" in changed) == (200, "here", False)
    assert ask(instance, "DELETE", f"/pets/{pet['id']}") == (204, None)
    assert ask(instance, "GET", f"/pets/{pet['id']}")[0] == 404
    assert ask(instance, "PUT", "/pets", {})[1]["error"]["message"] == "/pets takes GET, POST."
    assert ask(instance, "POST", "/owners", {"username": "Owner 1"})[0] == 409
    assert ask(instance, "POST", "/pets", {"name": 5})[1]["error"]["code"] == "invalid_arguments"
    assert ask(instance, "GET", "/pets/abc")[0] == 400
    form = HttpRequest.of(
        "POST", "/owners", headers={"content-type": "application/x-www-form-urlencoded"}, body="username=grace"
    )
    assert instance.http(form).json()["username"] == "grace"


def test_rows_that_go_are_in_the_log(instance: Instance) -> None:
    ask(instance, "DELETE", "/owners/Owner%201".replace("%20", " "))
    assert instance.diff().of_table("owners", "delete") == []  # a pet is theirs
    owner = instance.call("list_pets")[0]["owner_id"]
    for pet in instance.call("list_pets"):
        instance.call("update_pet", petId=pet["id"], clear=["owner_id"])
    instance.call("remove_owner", username=owner)
    (gone,) = instance.diff().of_table("owners", "delete")
    assert gone.key == {"username": owner}
    assert delete("owners", owner).table == gone.table
