"""Which test runs which block?"""

#: Pages with commands and files: they are followed from top to bottom by test_walks.py, but for these commands, each
#: with the reason.
_MADE = "the environment of the tests is made already"
_INSTALLED = "it is installed where the tests run"
WALKED: dict[str, dict[str, str]] = {
    "agents.md": {},
    "authoring.md": {
        "python -m venv .venv && . .venv/bin/activate": _MADE,
        "python -m pip install /path/to/seahaven": _INSTALLED,
    },
    "fixtures.md": {},
    "index.md": {},
    "quickstart.md": {"make run": "it would make an environment; the server that the page goes on with is the same"},
    "reuse.md": {"python -m pip install /path/to/seahaven django-waffle": _INSTALLED},
    "security.md": {},
    "serving.md": {},
    "testing.md": {},
    "tools.md": {},
}

#: Pages whose blocks of a language are run by tests that know their subject.
ELSEWHERE = {
    ("README.md", "python"): "tests/documentation/test_readme.py",
    ("README.md", "sh"): "tests/documentation/test_readme.py",
    ("README.md", "js"): "tests/stripe/test_node_sdk.py",
    ("authoring-openapi.md", "console"): "tests/engine/test_from_openapi.py",
    ("authoring-openapi.md", "yaml"): "tests/engine/test_from_openapi.py",
    # What leads to a finding, and away from it; test_checks_table.py makes each.
    ("checks.md", "console"): "tests/engine/test_seahaven_check.py",
    ("checks.md", "python"): "tests/engine/test_seahaven_check.py",
    ("mcp.md", "python"): "tests/mcp/test_pages.py",
    ("fidelity.md", "python"): "tests/fidelity/test_documentation.py",
    ("fidelity.md", "sh"): "tests/fidelity/test_documentation.py",
    ("stripe.md", "js"): "tests/stripe/test_node_sdk.py",
    ("stripe.md", "python"): "tests/stripe/test_documentation.py",
}

#: Blocks that cannot be run, by their page and first line, each with the reason.
_COMPANY = "an excerpt of worlds/company, which has tests of its own"
_RECORDED = "it needs episodes of the reader's own; the tests of recording give these commands some"
NOT_RUN = {
    ("composition.md", "class CompanyConfig(WorldConfig):"): _COMPANY,
    ("composition.md", '@recipe(embedded={"crm": "agency"})'): _COMPANY,
    ("curation.md", 'env.reset(fixture="quarter_end", seed=1)'): "the fixture is one that the reader made by hand",
    ("curation.md", "from worlds.engine.admin import WorldAdmin, register"): "the CRM has registered its own already",
    ("recording.md", "SEAHAVEN_RECORD_EPISODES=1 make run      # every episode; 0.05 keeps one in twenty"): _MADE,
    ("recording.md", "manage.py seahaven_replay var/episodes/2026-06-01/*.json.gz"): _RECORDED,
    ("stripe.md", "make run"): _MADE,
    ("stripe.md", "curl -X POST http://127.0.0.1:8000/stripe/shop/_checkout/cs_test_…/pay \\"): (
        "the session is one of the reader's own; the tests of Checkout pay such"
    ),
}
