"""`tf1to2 rule CODE` prints what the code's page says, all of it."""

from __future__ import annotations

import pathlib
import re

import click.testing
import pytest

from migrate.cli import main
from migrate.codes import CODES, MERGED
from migrate.codes import terminal as module
from migrate.codes.pages import locate_page
from migrate.codes.terminal import read_example, read_page, show_page

PAGES = pathlib.Path(module.__file__).parents[2] / "docs" / "rules"


def _words(text: str) -> list[str]:
    """Returns the words that a reader sees: no comments, link targets, code fences."""
    text = re.sub(r"<!--.*?-->|\]\([^)\s]*\.md\)|^```\w*$", "", text, flags=re.M)
    return re.findall(r"\w+", text.replace("\\", ""))


def _print(code: str) -> str:
    done = click.testing.CliRunner().invoke(main, ["rule", code])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("code", sorted(CODES))
def test_it_is_the_page(code: str) -> None:
    page = (PAGES / f"{code}.md").read_text()
    shown = "\n".join(line for line, _ in show_page(page))
    assert _words(shown) == _words(page)
    for heading in re.findall(r"^## (.*)$", page, re.M):
        assert re.search(rf"^{re.escape(heading)}$", shown, re.M)
    prose = re.sub(r"^    .*$", "", shown, flags=re.M)
    assert not re.search(r"\]\(|^#|^>|\\[*_<]", prose, re.M)
    assert max(map(len, prose.split("\n"))) <= 90


def test_the_command_prints_it() -> None:
    shown = _print("s112")
    assert _words(shown) == _words((PAGES / "S112.md").read_text())
    for part in (
        "S112: tensor used outside of session.run",
        "Why\nIn TensorFlow 1 the name stood for",
        "    for part in sess.run(parts, {x: np.ones([1, 2])}):",
        "    Do this: Fetch the tensors in `session.run`, and use the fetched values.",
        "    S109: unknown fetch",
        locate_page("S112"),
    ):
        assert part in shown


def test_a_rules_example_is_the_rows_or_the_first_of_its_page() -> None:
    assert read_example("T102") == (CODES["T102"].before, CODES["T102"].after)
    assert not CODES["S112"].before
    before, after = read_example("S112")
    assert before.endswith("\n    print(sess.run(part, {x: np.ones([1, 2])}))")
    assert after.endswith("\n    print(part)")
    assert read_example("E001") == read_example("G009") == ("", "")


def test_a_code_of_an_earlier_version_is_told_as_what_it_is_now() -> None:
    old, new = next(iter(MERGED.items()))
    assert _print(old.lower()) == f"{old} is {new} now.\n\n{_print(new)}"
    assert not _print(new).startswith(f"{new} is")


def test_an_installation_has_pages_of_its_own(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rule_pages").mkdir()
    (tmp_path / "rule_pages" / "S112.md").write_text("# mine\n")
    monkeypatch.setattr(module.importlib.resources, "files", lambda name: tmp_path)
    assert read_page("S112") == "# mine\n"
    with pytest.raises(FileNotFoundError):
        read_page("S111")


@pytest.mark.parametrize("columns, widest", [("60", 60), ("20", 40), ("200", 88)])
def test_prose_fits_the_terminal(
    columns: str, widest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    text = "A sentence with some words that are not long. " * 8
    lengths = [len(line) for line, _ in show_page(text)]
    assert widest - 12 < max(lengths) <= widest
