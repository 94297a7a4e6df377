"""Which test runs which block?"""

#: Pages that build a project from an empty folder: they are followed from top to bottom, by test_walks.py.
WALKED = ("authoring.md", "reuse.md")

#: Pages whose Python is run by tests that know its subject.
PYTHON_ELSEWHERE = {
    "checks.md": "tests/engine/test_seahaven_check.py",
    "checks.md": "tests/engine/test_seahaven_check.py",
    "README.md": "tests/documentation/test_readme.py",
    "mcp.md": "tests/mcp/test_pages.py",
    "stripe.md": "tests/stripe/test_documentation.py",
}

#: Blocks that cannot be run, by their page and first line, each with the reason.
NOT_RUN = {
    ("curation.md", 'env.reset(fixture="quarter_end", seed=1)'): "the fixture is one that the reader made by hand",
    ("curation.md", "from worlds.engine.admin import WorldAdmin, register"): "the CRM has registered its own already",
}
