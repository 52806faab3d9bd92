"""Tables of files, as a process sees them that writes the files itself."""

from __future__ import annotations

import os
import pathlib

import pytest

pytest.importorskip("tensorflow")


def test_a_file_that_has_changed_is_another_table(tmp_path: pathlib.Path) -> None:
    """TF1 read a vocabulary anew for every session."""
    import tensorflow as tf

    from migrate.support import contrib_lookup as lookup

    path = tmp_path / "words"
    for number, words in enumerate((b"one", b"two", b"three")):
        path.write_bytes(words)
        os.utime(path, (number, number))
        back = lookup.index_to_string_table_from_file(str(path))
        table = lookup.index_table_from_file(str(path))
        assert back.lookup(tf.constant([0], tf.int64)).numpy().tolist() == [words]
        assert table.lookup(tf.constant([words, b"other"])).numpy().tolist() == [0, -1]
