"""Reports: every format, from the same counts and the same words."""

from __future__ import annotations

import html.parser
import json
import pathlib
import re

import jsonschema
import pytest

from migrate import outcomes, report
from migrate.codes import CODES
from migrate.codes.pages import SITE, locate_page, locate_rules
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.report import json_report, markdown, page, sarif, text
from migrate.report.summary import Action, Run, summarise
from tests.migrate.report import browser

NASTY = '<script>alert(1)</script> | `x` & "y"\n2'
FINDINGS = (
    Finding(3, 5, "T102", Outcome.REWRITTEN, "tf.log", "now tf.math.log"),
    Finding(4, 1, "T101", Outcome.KEPT, "tf.zeros", "the same"),
    Finding(
        7, 2, "S120", Outcome.REFUSED, "tf.Session", NASTY, "First this,\nthen that."
    ),
    Finding(8, 2, "N100", Outcome.REFUSED, "tf.Graph", "part of it"),
)
RESULTS = (
    FileResult(pathlib.Path("a b.py"), b"old <b>\n", b"new <b>\n", FINDINGS, ("m.py",)),
    FileResult(pathlib.Path("clean.py")),
    FileResult(pathlib.Path("bad.py")).mark_failed(
        "E003", "not valid Python", "Mend it."
    ),
    FileResult(
        pathlib.Path("n.ipynb"),
        findings=(Finding(2, 3, "S120", Outcome.REFUSED, "tf.Session", "no", cell=4),),
    ),
    FileResult(pathlib.Path("caf\udce9.py"), b"a", b"b"),  # A name that is not UTF-8.
)
RUN = Run(RESULTS)
EMPTY = Run(())


def test_counts() -> None:
    summary = summarise(RESULTS)
    assert (summary.files, summary.concerned, summary.changed, summary.failed) == (
        5,
        3,
        2,
        1,
    )
    assert {o.value: n for o, n in summary.outcomes.items()} == {
        "rewritten": 1,
        "kept": 1,
        "refused": 2,
        "warning": 0,
        "failed": 1,
    }
    assert [(c.code, c.total) for c in summary.codes] == [
        ("E003", 1),
        ("S120", 2),
        ("T101", 1),
        ("T102", 1),
    ]


def test_exit_codes() -> None:
    assert summarise(()).exit_code == 0
    assert summarise(RESULTS[1:2]).exit_code == 0
    assert summarise(RESULTS[:1]).exit_code == 1
    assert summarise(RESULTS).exit_code == 2


def test_text() -> None:
    lines = list(text.write_findings(RUN))
    assert lines[0] == "a b.py: refused (unchanged)"
    assert lines[1].startswith("a b.py:7:2: S120 tf.Session: <script>")
    assert "    -> First this," in lines and "       then that." in lines
    assert not any("N100" in line for line in lines)
    assert "bad.py: failed" not in lines
    assert "bad.py:1:1: E003 not valid Python" in lines
    assert "n.ipynb:cell 5:2:3: S120 tf.Session: no" in lines
    assert not any("T101" in line or "T102" in line for line in lines)
    assert any(
        "T101 kept: tf.zeros" in line for line in text.write_findings(RUN, verbose=True)
    )
    assert list(text.write_files(RUN))[0] == (
        "would change a b.py: 1 rewritten, 1 kept, 1 refused (with m.py)"
    )
    last = text.render(RUN).splitlines()[-1]
    assert last == (
        "5 files read; 2 would change; programs: 1 migrated, 2 refused (unchanged), "
        "1 failed; uses of TensorFlow: 1 rewritten, 1 kept, 2 refused (and 1 more in those "
        "programs); 1 file failed."
    )
    empty = text.render(Run((), Action.WRITE)).splitlines()
    assert empty[0] == "Nothing here uses TensorFlow 1."
    assert empty[-1].startswith("0 files read; 0 changed;")
    last = text.render(Run((), interrupted=True)).splitlines()[-1]
    assert last.startswith("Interrupted: ")


def test_choices_are_told_though_nothing_is_left_to_do() -> None:
    kept = Finding(9, 17, "K110", Outcome.KEPT, "", "it stays a model_fn: a reason")
    hook = Finding(20, 1, "K131", Outcome.KEPT, "", "it stays a hook: another")
    run = Run((FileResult(pathlib.Path("m.py"), findings=(kept, hook, FINDINGS[1])),))
    assert list(text.write_findings(run)) == [
        "m.py:9:17: K110 kept: it stays a model_fn: a reason",
        "m.py:20:1: K131 kept: it stays a hook: another",
    ]
    assert "it stays a model_fn: a reason" in markdown.render(run)
    assert summarise(run.results).exit_code == 0


@pytest.mark.parametrize("run", [RUN, EMPTY, Run(RESULTS, Action.WRITE, True)])
def test_json_is_what_its_schema_says(run: Run) -> None:
    schema = json.loads(
        pathlib.Path(report.__file__).with_name("schema.json").read_text()
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    data = json.loads(json_report.render(run))
    jsonschema.validate(data, schema)
    # A control: the schema refuses what it should.
    for broken in ({**data, "format": 2}, {**data, "files": [{"path": "x"}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema)
    if run.results:
        assert data["files"][0]["findings"][2]["recipe"] == "First this,\nthen that."
        assert data["files"][2]["findings"][0]["cell"] == 4
        assert data["summary"]["findings"]["refused"] == 2
        assert sum(row["findings"]["refused"] for row in data["codes"]) == 2
        assert sum(f["counts"]["refused"] for f in data["files"]) == 2


# What SARIF 2.1.0's own schema asks of the parts that are used here, and of services
# that read it: https://docs.oasis-open.org/sarif/sarif/v2.1.0/
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "items": {
                "required": ["tool", "results"],
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name", "rules"],
                                "properties": {
                                    "rules": {
                                        "uniqueItems": True,
                                        "items": {
                                            "required": ["id"],
                                            "properties": {
                                                "help": {"required": ["text"]},
                                                "shortDescription": {
                                                    "required": ["text"]
                                                },
                                            },
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "invocations": {
                        "items": {
                            "required": ["executionSuccessful"],
                            "properties": {"exitCode": {"type": "integer"}},
                        }
                    },
                    "results": {
                        "items": {
                            "required": ["message", "ruleId", "locations"],
                            "properties": {
                                "message": {
                                    "required": ["text"],
                                    "properties": {
                                        "text": {"type": "string", "minLength": 1}
                                    },
                                },
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "locations": {
                                    "minItems": 1,
                                    "items": {
                                        "required": ["physicalLocation"],
                                        "properties": {
                                            "physicalLocation": {
                                                "required": ["artifactLocation"],
                                                "properties": {
                                                    "region": {
                                                        "required": ["startLine"],
                                                        "properties": {
                                                            "startLine": {"minimum": 1},
                                                            "startColumn": {
                                                                "minimum": 1
                                                            },
                                                        },
                                                    }
                                                },
                                            }
                                        },
                                    },
                                },
                            },
                        }
                    },
                },
            }
        },
    },
}


@pytest.mark.parametrize("run", [RUN, EMPTY])
def test_sarif(run: Run) -> None:
    log = json.loads(sarif.render(run))
    jsonschema.validate(log, SARIF)
    (only,) = log["runs"]
    rules = only["tool"]["driver"]["rules"]
    pages = pathlib.Path(report.__file__).parents[2] / "docs" / "rules"
    for rule in rules:
        assert rule["helpUri"] == f"{SITE}rules/{rule['id']}/"
        assert (pages / f"{rule['id']}.md").exists()
    for result in only["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    if run.results:
        uris = [
            r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            for r in only["results"]
        ]
        assert uris[0] == "a%20b.py"
        # A line of a cell is no line of the file.
        cell = only["results"][-1]["locations"][0]
        assert "region" not in cell["physicalLocation"]
        assert cell["logicalLocations"][0]["name"] == "cell 5, line 2"
        assert {r["level"] for r in only["results"]} == {"note", "warning", "error"}


def test_sarif_of_an_absolute_path_is_a_uri() -> None:
    result = FileResult(pathlib.Path("/a/ü.py")).mark_failed("E001", "no")
    assert '"uri": "file:///a/%C3%BC.py"' in sarif.render(Run((result,)))


class _Checker(html.parser.HTMLParser):
    """Every tag is closed in order, nothing is fetched, nothing of the user's runs."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.ids: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img", "iframe")
        values = dict(attrs)
        if "details" in self.open:  # A link unfolds what is around its target.
            self.ids.add(values.get("id") or "")
        if tag == "a":
            self.links.add(values["href"] or "")
        if values.get("selected", "") is None:
            assert tag == "option"  # The choice of a code needs no script.
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.mark.parametrize("run", [RUN, EMPTY])
def test_html(run: Run) -> None:
    content = page.render(run)
    checker = _Checker()
    checker.feed(content)
    checker.close()
    assert checker.open == []
    assert "prefers-color-scheme: dark" in content
    assert all(
        link[1:] in checker.ids if link[0] == "#" else link.startswith(SITE + "rules/")
        for link in checker.links
    )
    if run.results:
        shown = "".join(checker.text)
        assert NASTY.replace("`", "") in shown and "then that." in shown
        assert "old <b>" in shown and "new <b>" in shown
        assert "caf\ufffd.py" in shown
        assert "N100" not in content and "1 more use in the refused program" in shown


def _places(content: str) -> list[str]:
    """Lines and the codes at them, in the order of the page."""
    return re.findall(
        r"<i[^>]*>(\d+)</i>|<div class=\"note[^>]*><a href=\"#(\w+)", content
    )


def test_html_has_both_sides_with_the_findings_at_their_lines(
    tmp_path: pathlib.Path,
) -> None:
    old = b"import tensorflow as tf\n" + b"# a line\n" * 20 + b"x = tf.log(2.)\n"
    moved = Finding(22, 5, "T102", Outcome.REWRITTEN, "tf.log", "now tf.math.log")
    left = tmp_path / "left.py"
    left.write_bytes(old)
    refused = Finding(22, 5, "S120", Outcome.REFUSED, "tf.Session", "no", "Do this.")
    results = (
        FileResult(
            pathlib.Path("a.py"), old, old.replace(b".log", b".math.log"), (moved,)
        ),
        FileResult(left, findings=(refused,)),
    )
    content = page.render(Run(results, project="mine"))
    assert "<title>mine: tf1to2</title>" in content
    assert "1 of 2 programs can be migrated now, 1 is blocked." in content
    changed, unchanged = content.split('<details class="entry ')[1:]
    numbers = [line or code for line, code in _places(changed.split("<h2>Rules")[0])]
    assert numbers == [
        *(str(n) for n in (19, 19, 20, 20, 21, 21, 22, 22)),
        "T102",
        "23",
        "23",
    ]
    assert '<span class="o r">x = tf.log(2.)</span>' in changed
    assert '<span class="n a">x = tf.math.log(2.)</span>' in changed
    # What is left is shown as it stands, with what to do at the line.
    numbers = [line or code for line, code in _places(unchanged.split("<h2>Rules")[0])]
    assert numbers == ["19", "20", "21", "22", "S120", "23"]
    assert "Do this." in unchanged and ' a">' not in unchanged


def test_a_refusal_has_its_rules_example_at_its_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.py").write_text("import tensorflow as tf\nprint(part)\n")
    refused = Finding(2, 1, "S112", Outcome.REFUSED, "", "no", "Do this.")
    results = (FileResult(tmp_path / "a.py", findings=(refused,)),)
    beside, rules = page.render(Run(results)).split("<h2>Rules")
    for part in (beside, rules):
        assert "for part in sess.run(parts, {x: np.ones([1, 2])}):" in part
    assert (
        '<details><summary>the rule</summary><div class="example">'
        in beside.replace("\n", "")
    )


def test_no_format_has_uses_of_a_refused_program_as_findings(
    tmp_path: pathlib.Path,
) -> None:
    """N100 marks them for the tool; to a reader they are a number in one sentence."""
    path = tmp_path / "a.py"
    path.write_text("import tensorflow as tf\n" + "x = tf.zeros(3)\n" * 9)
    parts = [
        Finding(n, 5, "N100", Outcome.REFUSED, "tf.zeros", "") for n in range(2, 9)
    ]
    own = Finding(9, 5, "S120", Outcome.REFUSED, "tf.zeros", "no")
    run = Run((FileResult(path, findings=(*parts, own)),))
    for module in (json_report, markdown, page, sarif, text):
        content = module.render(run)
        assert "N100" not in content, module.__name__
        assert "8 refused" not in content and '"refused": 8' not in content
    assert "1 refused (and 7 more in those programs)" in text.render(run)
    assert "S120" not in page.render(Run((FileResult(path, findings=tuple(parts)),)))
    assert not any("N100" in line for line in text.write_findings(run, verbose=True))
    assert not any("N100" in line for line in text.write_statistics(run))
    (table,) = re.findall(r"^\| code .*?\n\n", markdown.render(run), re.M | re.S)
    assert table.count("\n") == 4  # Its head, the rule below it, S120, an empty line.


def test_code_in_sentences_is_code() -> None:
    finding = Finding(
        2, 1, "S120", Outcome.REFUSED, "tf.Session", "`a<b` is <no>", "Use `c & d`."
    )
    run = Run((FileResult(pathlib.Path("a.py"), findings=(finding,)),))
    content = page.render(run)
    assert "<code>a&lt;b</code> is &lt;no&gt;" in content
    assert (
        content.count("Use <code>c &amp; d</code>.") == 2
    )  # Its program's, and its own.
    assert "`" not in content
    assert "`a<b` is &lt;no>" in markdown.render(run)


def test_no_rule_has_a_literal_backtick() -> None:
    findings = tuple(
        Finding(n, 1, code, Outcome.REFUSED, "tf.x", CODES[code].explanation)
        for n, code in enumerate(CODES, 1)
        if code not in (outcomes.PART, outcomes.HELD)
    )
    content = page.render(Run((FileResult(pathlib.Path("a.py"), findings=findings),)))
    without_examples = re.sub(r"<pre>.*?</pre>", "", content, flags=re.S)
    assert "`" not in without_examples
    assert without_examples.count("<code>") > 1000


def test_programs_lead_to_their_files(tmp_path: pathlib.Path) -> None:
    results = []
    for name in ("jobs/a.py", "jobs/b.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("import tensorflow as tf\nx = tf.Session()\n")
        finding = Finding(2, 5, "S120", Outcome.REFUSED, "tf.Session", "no", "Do this.")
        results.append(FileResult(path, findings=(finding,)))
    content = page.render(Run(tuple(results)))
    entries, files = content.split("<h2>Files")
    for result in results:
        link = rf'<a href="#(file-\d)"><code>{re.escape(str(result.path))}</code></a>'
        (place,) = re.findall(link, entries)
        section = files.split(f'id="{place}"')[0].rsplit("<summary>")[-1]
        assert str(result.path) in section
    assert entries.count('<span class="why recipe">Do this.</span>') == 2


def test_findings_that_say_the_same_are_one_note() -> None:
    old = b"import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
    findings = tuple(
        Finding(2, column, "S116", Outcome.REWRITTEN, symbol, reason)
        for column, symbol, reason in (
            (5, "tf.placeholder", "a parameter"),
            (20, "tf.float32", "a parameter"),
            (20, "tf.float32", "another"),
        )
    )
    result = FileResult(pathlib.Path("a.py"), old, b"new\n", findings)
    content = page.render(Run((result,))).split("<h2>Rules")[0]
    assert content.count('class="note rewritten S116"') == 2
    both = "<code>tf.placeholder</code>, <code>tf.float32</code>: a parameter"
    assert both in content


def test_files_are_filtered_by_code() -> None:
    style = page.render(RUN).split("</style>")[0]
    for code in ("S120", "T102"):
        chosen = f'body:has(option[value="{code}"]:checked)'
        assert f"{chosen} :is(.note, details.entry):not(.{code})" in style
        assert f'<option value="{code}">{code} ' in page.render(RUN)


# In a frame, because a window of a browser without a head has a least width.
FRAME = """\
<!doctype html><body style="margin:0">
<iframe id=f src="page.html" style="border:0;width:WIDTHpx;height:9000px"></iframe>
<script>f.onload = () => {
  const root = f.contentDocument.documentElement;
  const lines = [...f.contentDocument.querySelectorAll(".run:not(.same) > span")]
    .filter(e => e.getClientRects().length)
    .map(e => [e.getBoundingClientRect().top, e.classList.contains("a") ? "a" : "r"])
    .sort((one, other) => one[0] - other[0]).map(pair => pair[1]).join("");
  document.title = root.scrollWidth + " " + lines; }</script>
"""


@pytest.mark.skipif(
    not browser.find_browser(), reason="neither chromium nor PySide6-WebEngine"
)
@pytest.mark.parametrize("width", [1200, 500, 400, 320])
def test_a_browser_shows_it_without_a_scroll_to_the_side(
    width: int, tmp_path: pathlib.Path
) -> None:
    long = "x_" * 150
    old = f"import tensorflow as tf\na = {long}\nb = tf.log({long})\n".encode()
    new = old.replace(b"a = x_", b"a = y_").replace(b"tf.log", b"tf.math.log")
    results = (
        FileResult(pathlib.Path(f"{long}.py"), old, new, FINDINGS),
        *RESULTS,
    )
    content = page.render(Run(results)).replace("<details", "<details open")
    (tmp_path / "page.html").write_text(content)
    frame = tmp_path / "frame.html"
    frame.write_text(FRAME.replace("WIDTH", str(width)))
    title = browser.read_title(frame, tmp_path / "data")
    found = re.fullmatch(r"(\d+) ([ar]+)", title)
    assert found is not None, title
    assert int(found[1]) <= width
    if width <= 500:  # Of each block all old lines, then all new ones.
        assert re.match("r{2,}a{2,}", found[2])


def test_the_text_ends_with_the_pages_of_its_codes() -> None:
    content = text.render(RUN)
    named = set(re.findall(r"^\S.*:\d+:\d+: ([A-Z]\d{3}) ", content, re.MULTILINE))
    told = set(re.findall(r"https://\S+", content))
    assert named == {"S120", "E003"}
    assert told == {locate_page(code) for code in named}
    # What is not told one by one has no line there: all that is told has.
    everything = "\n".join(text.write_rules(RUN, verbose=True))
    assert set(re.findall(r"https://\S+", everything)) == {
        locate_page(f.code)
        for result in RUN.results
        for f in result.findings
        if f.code != outcomes.PART
    }
    assert "https://" not in text.render(EMPTY)


def test_many_codes_lead_to_the_page_of_all() -> None:
    codes = [code for code in CODES if code.startswith("S")]
    found = tuple(
        Finding(n, 1, code, Outcome.REFUSED) for n, code in enumerate(codes, 1)
    )
    lines = list(
        text.write_rules(Run((FileResult(pathlib.Path("a.py"), findings=found),)))
    )
    pages = [line for line in lines if "/rules/S" in line]
    assert len(pages) == 10
    last = f"      and {len(codes) - 10} other codes: {locate_rules()}"
    assert last in lines


def test_markdown_links_each_code_to_its_page() -> None:
    content = markdown.render(RUN)
    for code in ("T102", "S120", "E003"):
        assert f"| [{code}]({locate_page(code)}) |" in content


def test_markdown_tables_have_their_columns() -> None:
    content = markdown.render(RUN)
    rows = [line for line in content.splitlines() if line.startswith("|")]
    columns = [len(re.findall(r"(?<!\\)\|", row)) - 1 for row in rows]
    assert columns == sorted(columns, key=[5, 6].index) or set(columns) == {5, 6}
    heads = [row for row, rule in zip(rows, rows[1:]) if set(rule) <= set("|-:")]
    assert [head.split(" | ")[0] for head in heads[:3]] == [
        "| ",
        "| what blocks",
        "| code",
    ]
    for row, before in zip(rows[1:], rows):  # A row has the columns of its table.
        if row not in heads:
            assert row.count(" | ") >= 1 or set(row) <= set("|-:"), before
    assert "<script>" not in content
    assert "First this,<br>then that." in content
    assert markdown.render(EMPTY).startswith("# Migration report\n")


@pytest.mark.parametrize("suffix", report.FORMATS)
def test_every_format_is_saved(suffix: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / f"report{suffix}"
    report.check_suffix(path)
    report.save(path, RUN)
    content = path.read_text("utf-8")
    assert "S120" in content and content.endswith("\n")


@pytest.mark.parametrize("name", ["report.xml", "report", "nowhere/report.json"])
def test_a_report_that_cannot_be_written_is_told_before(
    name: str, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(ValueError, match=re.escape(name)):
        report.check_suffix(tmp_path / name)
