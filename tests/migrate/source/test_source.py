"""Bytes to text and back: nothing is lost, and what cannot be read is named."""

from __future__ import annotations

import codecs
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.source import python
from migrate.source.lines import find_logical_starts

NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])
# No newline of any kind, and no coding line by chance.
LINES = st.text(
    st.characters(blacklist_characters="\r\n\0", blacklist_categories=["Cs"]),
    max_size=12,
).filter(lambda line: "coding" not in line)


def failure(data: bytes) -> tuple[str, int, int, str]:
    with pytest.raises(python.Unreadable) as caught:
        python.check_syntax(python.decode(data).text)
    finding = caught.value.finding
    return finding.code, finding.line, finding.column, finding.reason


@given(st.lists(st.tuples(LINES, NEWLINES)), LINES, st.booleans())
def test_every_text_comes_back(lines, last, bom):
    text = "".join(line + newline for line, newline in lines) + last
    data = codecs.BOM_UTF8 * bom + text.encode()
    if not bom and data.startswith(codecs.BOM_UTF8):
        return  # The text began with U+FEFF: that is a byte-order mark.
    source = python.decode(data)
    assert source.encode(source.text) == data
    assert "\r" not in source.text


@given(st.binary())
def test_any_bytes_come_back_or_are_refused(data):
    try:
        source = python.decode(data)
    except python.Unreadable as error:
        assert error.finding.code == "E002"
        return
    assert source.encode(source.text) == data


@given(st.lists(st.tuples(LINES, NEWLINES), min_size=1), st.data())
def test_unchanged_lines_keep_their_newlines(lines, data):
    # Numbered: of equal lines it could not be told which one stayed.
    lines = [(f"{number} {line}", end) for number, (line, end) in enumerate(lines)]
    raw = "".join(line + newline for line, newline in lines)
    source = python.decode(b"\n" + raw.encode())  # No byte-order mark by chance.
    at = data.draw(st.integers(0, len(lines) - 1))
    changed = source.text.split("\n")
    changed[at + 1] = "a line that was not there"
    lines[at] = ("a line that was not there", lines[at][1])
    expected = "\n" + "".join(line + newline for line, newline in lines)
    assert source.encode("\n".join(changed)) == expected.encode()


def test_a_new_line_gets_the_newline_most_lines_have():
    source = python.decode(b"a\r\nb\r\nc\nd\r\n")
    assert source.encode("a\nb\nnew\nc\nd\n") == b"a\r\nb\r\nnew\r\nc\nd\r\n"


def test_mixed_newlines_in_a_long_file_take_no_minutes():
    lines = [b"x = 1\n", b"\n", b"y = 2\r\n"] * 16_000
    source = python.decode(b"".join(lines))
    new = source.text.replace("x = 1", "x = 3", 1)
    assert source.encode(new) == b"".join([b"x = 3\n", *lines[1:]])


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "koi8-r", "shift_jis", "gbk"]
)
def test_coding_lines_are_obeyed(encoding):
    character = "é" if encoding in ("latin-1", "cp1252") else "я"
    text = f"# -*- coding: {encoding} -*-\ns = '{character}'\n"
    data = text.encode(encoding)
    source = python.decode(data)
    assert source.text == text
    assert source.encode(text.replace("s", "t")) == text.replace("s", "t").encode(
        encoding
    )


def test_a_result_that_does_not_fit_its_encoding_is_an_error():
    source = python.decode(b"# coding: latin-1\ns = 1\n")
    with pytest.raises(UnicodeEncodeError):
        source.encode("s = '\u20ac'\n")


@pytest.mark.parametrize(
    "data, line, told",
    [
        (b"x = 1\ny = 2\ns = '\xe9'\n", 3, "byte 0xe9 at offset 17 is not utf-8"),
        (b"s = '\xe9'\n", 1, "byte 0xe9 at offset 5 is not utf-8"),
        (
            codecs.BOM_UTF8 + b"\n\n\ns = '\xe9'\n",
            4,
            "byte 0xe9 at offset 11 is not utf-8",
        ),
        (b"# coding: ascii\n\ns = '\xe9'\n", 3, "byte 0xe9 at offset 22 is not ascii"),
        (b"# coding: klingon\n", 1, "unknown encoding: klingon"),
        (b"# coding: rot13\n", 1, "rot13"),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n", 1, "encoding problem"),
        (b"x = 1\n\0\n", 2, "a NUL byte at offset 6"),
        ("x = 1\n".encode("utf-16"), 1, "UTF-16"),
        (
            b"# coding: utf-7\nx = '+AGE-'\n",
            1,
            "utf-7 the file could not be written back",
        ),
    ],
)
def test_what_cannot_be_decoded_is_told_with_its_place(data, line, told):
    code, at, _, reason = failure(data)
    assert (code, at) == ("E002", line)
    assert told in reason


PYTHON2 = {
    b"print 'x'\n": (1, "print"),
    b"x = 1\nprint x, y\n": (2, "print"),
    b"if x: print y\n": (1, "print"),
    b"try:\n  pass\nexcept ValueError, e:\n  pass\n": (3, "except"),
    b"try:\n  pass\nexcept (A, B), e:\n  pass\n": (3, "except"),
    b"raise ValueError, 'no'\n": (1, "raise"),
    b"exec 'x = 1'\n": (1, "exec"),
    b"exec code in names\n": (1, "exec"),
    b"x = a <> b\n": (1, "<>"),
    b"mode = 0777\n": (1, "octal"),
    b"n = 10L\n": (1, "long"),
    b"s = ur'x'\n": (1, "ur''"),
    b"s = `x`\n": (1, "backticks"),
    b"f = lambda (a, b): a\n": (1, "tuple parameter"),
    b"def f(a, (b, c)):\n  pass\n": (1, "tuple parameter"),
    # The syntax error is elsewhere, and is none in Python 2.
    b"async = True\nprint 'x'\n": (2, "print"),
}


@pytest.mark.parametrize("data", PYTHON2)
def test_python_2_is_told_from_a_syntax_error(data):
    line, what = PYTHON2[data]
    code, at, _, reason = failure(data)
    assert (code, at) == ("E004", line)
    assert what in reason


@pytest.mark.parametrize(
    "data, line, column",
    [
        (b"def f(:\n", 1, 7),
        (b"x = 1\ny = = 2\n", 2, 5),
        # What looks like Python 2 stands in strings and comments.
        (b"'''\nprint x\n'''\ndef f(:\n", 4, 7),
        (b"x = 'print a <> 0777'\n# print x\nfor\n", 3, 4),
        (b"x = (\n  'raise E, e'\ny = 1 1\n", 1, 5),
        (b"def f(a=(1, 2)):\n  return\nclass\n", 3, 6),
        (b"printer = 1\nexecute = 2\nfor\n", 3, 4),
    ],
)
def test_a_syntax_error_is_told_with_line_and_column(data, line, column):
    assert failure(data)[:3] == ("E003", line, column)


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 4000 + ")" * 4000,
        "x = " + "-" * 100_000 + "1",
        "".join(" " * i + "if x:\n" for i in range(150)) + " " * 150 + "pass\n",
    ],
    ids=["brackets", "signs", "blocks"],
)
def test_what_is_too_deep_is_told(text):
    assert failure(text.encode())[0] == "E001"


def test_the_users_own_warnings_are_not_ours():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        python.check_syntax("import re\nre.compile('\\d')\nx = 1 is 1\n")


def test_the_version_of_python_is_told_with_a_syntax_error():
    with pytest.raises(python.Unreadable) as caught:
        python.check_syntax("x = = 1\n")
    assert ".".join(map(str, sys.version_info[:2])) in caught.value.finding.recipe


@pytest.mark.parametrize(
    "text, starts",
    [
        ("a\nb", [1, 1]),
        ("f(a,\n  b)\nc", [1, 0, 1]),
        ("'''\nx\n'''\ny", [1, 0, 0, 1]),
        ("x = '''a\n' \" (\nb'''; y = (\n1)\nz", [1, 0, 0, 0, 1]),
        ("x = 1 + \\\n  2\ny", [1, 0, 1]),
        ("x = '(' # (\ny", [1, 1]),
        ("x = '\\'('\ny", [1, 1]),
        ("x = 'a\\\nb('\ny", [1, 0, 1]),
        ("x = 'not closed\ny", [1, 1]),
        (")\ny", [1, 1]),
    ],
)
def test_where_statements_begin(text, starts):
    assert list(find_logical_starts(text.split("\n"))) == [bool(s) for s in starts]


def test_an_opaque_line_means_nothing_except_its_backslash():
    lines = ["!echo 'it(", "x", "!a \\", "it's", "y"]
    starts = list(find_logical_starts(lines, lambda line: line.startswith("!")))
    assert starts == [True, True, True, False, True]
