"""Every code has a program, here or in a test that is named, of which the tool says it."""

from __future__ import annotations

import ast
import pathlib
import re
import textwrap

import pytest
from click.testing import CliRunner

from migrate.codes import CODES, MERGED
from migrate.compiler import migrate_text
from migrate.ignoring import read_ignored
from migrate.rule_command import rule
from reference.pages.cases import cases
from reference.pages.topics import TOPICS, find_related

CASES = cases()
TESTS = pathlib.Path(__file__).parents[1]
# Codes of files, trees, notebooks and several programs: the test that has them.
ELSEWHERE = {
    "C115": "migrate/frontends/cluster/test_placement.py",
    "D111": "migrate/rules/mistakes/test_mistakes.py",
    "D112": "migrate/rules/mistakes/test_mistakes.py",
    "E001": "migrate/disk/test_discover.py",
    "E002": "migrate/test_bad_input.py",
    "E003": "migrate/test_bad_input.py",
    "E004": "migrate/test_bad_input.py",
    "E006": "migrate/test_bad_input.py",
    "E007": "migrate/source/test_notebook.py",
    "E008": "migrate/source/test_notebook.py",
    "E010": "migrate/source/test_python2.py",
    "E011": "migrate/source/test_python2.py",
    "E012": "migrate/test_ignored_lines.py",
    "G005": "migrate/source/test_notebook.py",
    "G006": "migrate/test_cli.py",
    "G007": "migrate/gates/test_migrations.py",
    "K180": "migrate/shared/test_own_stars.py",
    "K185": "migrate/frontends/model_fn/test_keras_tables.py",
    "K190": "migrate/backends/keras_fit/test_keras_fit.py",
    "N102": "migrate/test_outcomes.py",
    "S109": "migrate/frontends/sessions/test_plain_sessions.py",
    "T118": "migrate/facts/trees/test_reexports.py",
    "T150": "fallback/test_texts.py",
    "T151": "fallback/test_texts.py",
}


@pytest.mark.parametrize("code", CASES)
def test_the_tool_says_so(code: str) -> None:
    case = CASES[code]
    findings = case.findings()
    assert findings and all(f.reason or f.outcome.value == "kept" for f in findings)
    assert case.line(findings[0])
    # Without its statements nothing says so: the case is about what it shows.
    bare = migrate_text("import tensorflow\n").findings
    assert case.code not in {f.code for f in bare}


@pytest.mark.parametrize("code", CASES)
def test_the_program_shows_nothing_else_than_it_needs(code: str) -> None:
    tree = ast.parse(CASES[code].text)
    assert tree.body and "tensorflow" in CASES[code].text


def test_every_code_has_a_case_or_is_tested_elsewhere() -> None:
    without = set(CODES) - {case.code for case in CASES.values()}
    assert set(ELSEWHERE) == without
    for code, file in ELSEWHERE.items():
        assert code in (TESTS / file).read_text("utf-8"), code


def test_cases_are_of_codes() -> None:
    assert {case.code for case in CASES.values()} <= set(CODES)


def test_codes_of_earlier_versions_are_understood() -> None:
    assert set(MERGED.values()) <= set(CODES)
    assert not set(MERGED) & set(CODES)
    line = "w = tf.get_variable('w', [2])  # tf1to2: ignore[V120, S109]\n"
    assert read_ignored(line).lines == {1: ("N150", "S109")}
    for old, new in MERGED.items():
        done = CliRunner().invoke(rule, [old])
        assert done.exit_code == 0
        assert done.output.startswith(f"{old} is {new} now.\n\n{new}: ")


# Pages whose pair the code has itself -> what its program has before the pair.
HEAD = "import tensorflow as tf\n\n"
OWN_PAIRS = {"T101": HEAD, "T105": ""}


@pytest.mark.parametrize("code", OWN_PAIRS)
def test_a_pair_of_a_kept_name_is_what_the_tool_writes(code: str) -> None:
    row, head = CODES[code], OWN_PAIRS[code]
    done = migrate_text(head + row.before + "\n")
    assert done.text == head + row.after + "\n"
    assert code in {f.code for f in done.findings}


def test_the_pair_of_prints_is_of_the_case() -> None:
    text, row = CASES["D152"].text, CODES["D152"]
    assert row.before in text
    written = textwrap.dedent(migrate_text(text).text)
    for part in row.after.split("\n...\n"):
        assert part in written or textwrap.indent(part, "    ") in written


def test_the_pair_of_a_refused_program_is_refused_and_then_migrated() -> None:
    text = HEAD + "import numpy as np\nbatch = np.ones([1, 3])\n"
    row = CODES["N100"]
    lines = (text + row.before).splitlines()
    found = migrate_text("\n".join(lines) + "\n").findings
    assert {"N100", "S108"} <= {f.code for f in found}
    for finding in found:
        if finding.outcome.value == "refused":
            assert lines[finding.line - 1].endswith(f"# {finding.code}"), finding
    done = migrate_text(text + row.after + "\n")
    assert done.text != text + row.after + "\n"
    assert not [f for f in done.findings if f.outcome.value == "refused"]


def test_every_page_shows_two_programs_or_a_command() -> None:
    for code in CODES:
        page = (TESTS.parent / "docs" / "rules" / f"{code}.md").read_text("utf-8")
        assert page.count("```python\n") > 1 or "```console\n" in page, code


@pytest.mark.parametrize("code", ["E001", "E002", "E006"])
def test_a_page_of_a_file_says_by_which_command_to_go_on(code: str) -> None:
    assert re.search(r"`(tf1to2|iconv|chmod) ", CODES[code].recipe)


def test_every_code_has_a_reason_and_relatives() -> None:
    listed = {code for codes in TOPICS.values() for code in codes.split()}
    assert listed == set(CODES)
    for code in CODES.values():
        assert code.why and find_related(code.id), code.id


def test_every_page_says_what_happens_and_shows_code_if_it_is_about_code() -> None:
    without = set()
    for code in CODES:
        page = (TESTS.parent / "docs" / "rules" / f"{code}.md").read_text("utf-8")
        assert "*Outcome:* " in page, code
        assert len(CODES[code].explanation + CODES[code].why) > 90, code
        if "## Example\n\n" not in page:
            without.add(code)
        assert "```python\n\n" not in page, code
    assert not without
