"""How are the Python blocks of a page run, one after the other, as a reader would?

`python` blocks are executed, `pycon` blocks are typed and must answer as shown, in one namespace for each page.
"""

from __future__ import annotations

import doctest
from typing import Any

from tests.documentation.blocks import Block

_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run(shown: list[Block], names: dict[str, Any], instead: dict[str, str]) -> None:
    """Run the blocks of a page with some words exchanged: the address of a server, say."""
    for block in shown:
        text = block.text
        for said, other in instead.items():
            text = text.replace(said, other)
        if block.language == "python":
            exec(compile("\n" * block.line + text, block.page, "exec", dont_inherit=True), names)
        else:
            _type(block, text, names)


def _type(block: Block, text: str, names: dict[str, Any]) -> None:
    said: list[str] = []
    test = doctest.DocTestParser().get_doctest(text, names, block.page, block.page, block.line)
    doctest.DocTestRunner(optionflags=_OPTIONS).run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not said, "".join(said)
