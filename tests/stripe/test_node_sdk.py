"""Does the official Node SDK work unmodified, with nothing but a host, a port and a key?"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.openenv.servers import Server

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "var" / "node" / "node_modules"
NODE = shutil.which("node")

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not installed"),
    pytest.mark.skipif(
        not (PACKAGES / "stripe").is_dir(), reason="the SDK is not there: npm install --prefix var/node stripe"
    ),
]


def run(folder: Path, script: str, *arguments: str) -> str:
    """What a script prints, run beside the SDK."""
    (folder / "node_modules").symlink_to(PACKAGES)
    file = folder / "script.mjs"
    file.write_text(script)
    assert NODE is not None
    done = subprocess.run([NODE, str(file), *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def told(server: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    host, port = server.address.split(":")
    script = (Path(__file__).with_name("node_stories.mjs")).read_text()
    found: dict[str, Any] = json.loads(run(tmp_path_factory.mktemp("node"), script, host, port, "sk_test_node"))
    return found


def test_somebody_signs_up_and_is_charged_while_away(told: dict[str, Any]) -> None:
    assert told["signUp"] == {"seats": "3", "setup": "succeeded", "paid": "succeeded", "fee": 172}


def test_a_decline_is_a_card_error_and_leaves_a_failed_charge(told: dict[str, Any]) -> None:
    error = told["decline"]
    assert (error["type"], error["code"], error["decline_code"], error["status"]) == (
        "StripeCardError", "card_declined", "insufficient_funds", 402,
    )  # fmt: skip
    assert told["failed"] == "failed"


def test_a_shopper_authenticates(told: dict[str, Any]) -> None:
    assert told["secure"] == {"before": "requires_action", "redirect": True, "after": "succeeded"}


def test_a_payment_is_given_back_and_no_more_than_it(told: dict[str, Any]) -> None:
    assert told["refund"]["status"] == "succeeded"
    assert (told["refund"]["left"]["type"], told["refund"]["left"]["param"]) == ("StripeInvalidRequestError", "amount")


def test_customers_are_paged_through_and_searched(told: dict[str, Any]) -> None:
    assert told["pages"] == {"all": True, "back": 119}
    assert told["search"] == ["b7@example.com"]


def test_a_repeated_request_is_carried_out_once(told: dict[str, Any]) -> None:
    found = told["idempotency"]
    assert (found["same"], found["key"], found["replayed"]) == (True, "order-7", "true")
    assert found["other"]["type"] == "StripeIdempotencyError"


def test_a_file_is_uploaded(told: dict[str, Any]) -> None:
    assert told["file"] == {"size": 18, "name": "receipt.pdf"}


def test_a_marketplace_shares_a_payment(told: dict[str, Any]) -> None:
    assert told["marketplace"] == {
        "early": "insufficient_capabilities_for_transfer", "enabled": True, "transfer": 10000, "balance": 9000,
        "customers": 0,
    }  # fmt: skip


def test_errors_are_of_their_classes(told: dict[str, Any]) -> None:
    errors = told["errors"]
    assert (errors["missing"]["type"], errors["missing"]["status"]) == ("StripeInvalidRequestError", 404)
    assert (errors["invalid"]["code"], errors["invalid"]["param"]) == ("parameter_invalid_integer", "unit_amount")
    assert errors["key"]["type"] == "StripeAuthenticationError"


@pytest.mark.parametrize(("page", "said"), [("README.md", "succeeded"), ("docs/stripe.md", "cus_")])
def test_what_the_pages_show_runs(server: Server, tmp_path: Path, page: str, said: str) -> None:
    (block,) = re.findall(r"```js\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    port = server.address.rpartition(":")[2]
    assert said in run(tmp_path, block.replace("8000", port))
