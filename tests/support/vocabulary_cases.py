"""Uses of VocabularyProcessor, evaluated with TensorFlow 1.15.5's classes and the emitted ones.

    python -m tests.support.vocabulary_cases PYTHON_WITH_TF1

records TF1's values, and a file that it saved, in `vocabulary_values.json`. Runs under
Python 3.7, too.
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

RECORDED = pathlib.Path(__file__).with_name("vocabulary_values.json")

CASES = (
    "rows(P(4).fit_transform(D))",
    "rows(P(2).fit_transform(D))",
    "rows(P(6, 1).fit_transform(D))",
    "rows(P(6, min_frequency=2).fit_transform(D))",
    "rows(P(6).fit(D[:2]).transform(D))",
    "len(P(4).fit(D).vocabulary_)",
    "len(P(4, 1).fit(D).vocabulary_)",
    "list(P(4).fit(D).reverse([[1, 2, 0], [3, 0, 0]]))",
    "list(P(4).fit(D).reverse([[1, 99]]))",
    "rows(P(4, vocabulary=V('?')).fit_transform(D))",
    "list(P(4, vocabulary=V('?')).fit(D).reverse([[0, 1]]))",
    "list(P(4, vocabulary=V('?', False)).fit(D).reverse([[0, 1]]))",
    "rows(P(4, tokenizer_fn=lambda ds: (d.split(',') for d in ds)).fit_transform(D))",
    "list(T(D))",
    "list(T(['USAToday ABCDef aB', \"don't re-do _x 1.5 na\\u00efve\", '']))",
    "[counted().get(w) for w in ('a', 'b', 'c', 'd', 'new', 'newer')]",
    "[trimmed(1).get(w) for w in ('a', 'b', 'c', 'd')]",
    "[trimmed(0, 3).get(w) for w in ('a', 'b', 'c', 'd')]",
    "sorted(trimmed(0, 3)._freq.items())",
    "sorted(trimmed(1)._freq.items())",
    "[trimmed(1).reverse(i) for i in range(len(trimmed(1)))]",
    "trimmed(2).reverse(5)",
    "frozen().get('e')",
    "str(next(iter(P(3).fit_transform(D))).dtype)",
    "saved(P(4, 1).fit(D))",
)


def evaluate(preprocessing: Any) -> dict[str, Any]:
    """Computes each case's values, or the class of its error.

    Args:
      preprocessing: has the classes and `tokenizer` as attributes.
    """

    def counted() -> Any:
        vocabulary = preprocessing.CategoricalVocabulary()
        for word, count in (("d", 1), ("b", 2), ("a", 2), ("c", 5)):
            vocabulary.add(word, count)
        return vocabulary

    def trimmed(*counts: int) -> Any:
        vocabulary = counted()
        vocabulary.trim(*counts)
        return vocabulary

    def frozen() -> Any:
        vocabulary = counted()
        vocabulary.freeze()
        return vocabulary

    def saved(processor: Any) -> Any:
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "words")
            processor.save(path)
            again = preprocessing.VocabularyProcessor.restore(path)
        return rows(again.transform(documents))

    def rows(found: Any) -> Any:
        return [row.tolist() for row in found]

    documents = ["one two, two three four", "two Five one-two", "two three", ""]
    names = {
        "P": preprocessing.VocabularyProcessor,
        "V": preprocessing.CategoricalVocabulary,
        "T": preprocessing.tokenizer,
        "D": documents,
        "counted": counted,
        "trimmed": trimmed,
        "frozen": frozen,
        "saved": saved,
        "rows": rows,
    }
    found: dict[str, Any] = {}
    for case in CASES:
        try:
            found[case] = json.loads(json.dumps(eval(case, dict(names))))
        except Exception as error:
            found[case] = "raises " + type(error).__name__
    return found


def record(python: str) -> dict[str, Any]:
    """Computes the cases with TensorFlow 1.15.5's classes, and a file of theirs."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith("TF2_BEHAVIOR")
    }
    done = subprocess.run(
        [python, "-W", "ignore", str(pathlib.Path(__file__).resolve()), "--evaluate"],
        stdout=subprocess.PIPE,
        env=environment,
        timeout=300,
        check=True,
    )
    values: dict[str, Any] = json.loads(done.stdout.decode().splitlines()[-1])
    return values


def _save(preprocessing: Any) -> str:
    processor = preprocessing.VocabularyProcessor(3, 1)
    processor.fit(["a b b", "a c"])
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "words"
        processor.save(str(path))
        return base64.b64encode(path.read_bytes()).decode()


def main(arguments: list[str]) -> int:
    if arguments == ["--evaluate"]:
        from tensorflow.contrib import learn

        values = evaluate(learn.preprocessing)
        print(json.dumps({**values, "saved": _save(learn.preprocessing)}))
        return 0
    (python,) = arguments
    text = json.dumps(record(python), indent=1)
    RECORDED.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
