"""Words as numbers, as tf.contrib.learn.preprocessing had them. Written by tf1to2; yours now.

    words = VocabularyProcessor(max_document_length=5)
    ids = np.array(list(words.fit_transform(["one two", "two three four"])))  # int64, [2, 5]
    words.save("vocabulary")
    words = VocabularyProcessor.restore("vocabulary")

Number 0 is the unknown word, and fills what a document lacks. Nothing here is TensorFlow's.
`restore` reads the files that TensorFlow 1 saved, too.
"""

from __future__ import annotations

import collections
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

# Capitals; a capitalised word before another one; else letters, digits, ', _ and -.
_TOKEN = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|['\w\-]+")


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of each document."""
    for document in iterator:
        yield _TOKEN.findall(document)


class CategoricalVocabulary:
    """Numbers for words, in the order in which they come; 0 is the unknown word.

    Args:
      unknown_token: what number 0 stands for.
      support_reverse: whether numbers become words again.
    """

    def __init__(self, unknown_token: Any = "<UNK>", support_reverse: bool = True):
        self._unknown_token = unknown_token
        self._support_reverse = support_reverse
        self._freq: dict[Any, int] = collections.defaultdict(int)
        self._freeze = False
        self._forget()

    def _forget(self) -> None:
        self._mapping = {self._unknown_token: 0}
        if self._support_reverse:
            self._reverse_mapping = [self._unknown_token]

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """From now on new words are unknown; with False, no longer."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The number of a word; a new word gets the next one, unless frozen."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._append(category)
        return self._mapping[category]

    def _append(self, category: Any) -> None:
        self._mapping[category] = len(self._mapping)
        if self._support_reverse:
            self._reverse_mapping.append(category)

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a word."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps words counted more than `min_frequency` times, the most frequent first.

        Words of one count are in alphabetic order. As in TensorFlow 1, of the counts only
        as many are kept, from the top, as words are, also where `max_frequency` dropped
        the first ones.

        Args:
          max_frequency: words counted so often go, too; -1 drops none.
        """
        by_name = sorted(
            self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0])
        )
        counted = sorted(by_name, key=lambda item: item[1], reverse=True)
        self._forget()
        for category, count in counted:
            if count <= min_frequency:
                break
            if max_frequency <= 0 or count < max_frequency:
                self._append(category)
        self._freq = dict(counted[: len(self) - 1])

    def reverse(self, class_id: int) -> Any:
        """The word of a number.

        Raises:
          ValueError: the vocabulary was made with `support_reverse=False`.
        """
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support "
                "reverse() function."
            )
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Documents as rows of numbers of words.

    Args:
      max_document_length: the length of a row; longer documents are cut.
      min_frequency: words that occur so often, or less, are unknown; 0 keeps all.
      vocabulary: a CategoricalVocabulary to go on with.
      tokenizer_fn: (documents) -> for each the words; None takes `tokenizer`.

    Attributes:
      vocabulary_: the CategoricalVocabulary.
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[str]], Iterable[Any]] | None = None,
    ):
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        # As in TensorFlow 1: a vocabulary of length 0 would be replaced.
        self.vocabulary_ = vocabulary if vocabulary else CategoricalVocabulary()
        self._tokenizer = tokenizer_fn if tokenizer_fn else tokenizer

    def fit(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> VocabularyProcessor:
        """Learns the words of documents; new ones are unknown from then on."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> Iterator[np.ndarray]:
        """Learns the words of documents, and gives their rows."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """For each document an int64 array of shape [max_document_length]."""
        for tokens in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for place, token in enumerate(tokens):
                if place >= self.max_document_length:
                    break
                row[place] = self.vocabulary_.get(token)
            yield row

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """The words of rows, with a blank between."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename: str) -> None:
        """Writes it into a file, with pickle."""
        with tf.io.gfile.GFile(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> Any:
        """Reads what `save` wrote, here or in TensorFlow 1.

        Like all of pickle it runs what the file says: read only files that you trust.
        """
        with tf.io.gfile.GFile(filename, "rb") as file:
            return _Unpickler(file).load()


class _Unpickler(pickle.Unpickler):
    """Finds here what TensorFlow 1 had in its own files."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("tensorflow") and ".learn.preprocessing" in module:
            return globals()[name]
        return super().find_class(module, name)
