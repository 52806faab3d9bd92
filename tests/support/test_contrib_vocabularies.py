"""The emitted VocabularyProcessor is TensorFlow 1.15.5's, and reads its files."""

from __future__ import annotations

import base64
import json
import pathlib
from typing import Any

import pytest

from migrate.compiler import migrate_text
from migrate.support import contrib_vocabularies
from reference.environment import find_tf1
from tests.support import vocabulary_cases

RECORDED: dict[str, Any] = json.loads(vocabulary_cases.RECORDED.read_text("utf-8"))


@pytest.mark.parametrize("case", vocabulary_cases.CASES)
def test_as_in_tf1(case: str) -> None:
    assert vocabulary_cases.evaluate(contrib_vocabularies)[case] == RECORDED[case]


def test_a_file_of_tf1_is_restored(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "words"
    path.write_bytes(base64.b64decode(RECORDED["saved"]))
    found = contrib_vocabularies.VocabularyProcessor.restore(str(path))
    assert type(found) is contrib_vocabularies.VocabularyProcessor
    rows = [row.tolist() for row in found.transform(["c b a", "b"])]
    assert rows == [[0, 2, 1], [2, 0, 0]]


def test_the_comparison_sees_a_wrong_class(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(contrib_vocabularies.CategoricalVocabulary):
        def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
            super().trim(min_frequency - 1, max_frequency)

    monkeypatch.setattr(contrib_vocabularies, "CategoricalVocabulary", Wrong)
    found = vocabulary_cases.evaluate(contrib_vocabularies)
    assert sum(found[case] != RECORDED[case] for case in vocabulary_cases.CASES) > 3


@pytest.mark.skipif(find_tf1() is None, reason="no interpreter with TensorFlow 1.15.5")
def test_tf1_still_gives_the_recorded_values() -> None:
    found = vocabulary_cases.record(str(find_tf1()))
    assert {**found, "saved": ""} == {**RECORDED, "saved": ""}


@pytest.mark.parametrize(
    "use",
    [
        "learn.preprocessing.VocabularyProcessor(5)",
        "learn.preprocessing.text.VocabularyProcessor(5)",
        "learn.preprocessing.VocabularyProcessor.restore(path)",
        "learn.preprocessing.CategoricalVocabulary()",
        "learn.preprocessing.tokenizer(texts)",
    ],
)
def test_however_it_is_named(use: str) -> None:
    text = f"from tensorflow.contrib import learn\n\nfound = {use}\n"
    done = migrate_text(text)
    name = use.removeprefix("learn.preprocessing.").removeprefix("text.")
    assert f"found = contrib_vocabularies.{name}\n" in done.text
    assert "contrib_vocabularies.py" in done.support
