"""TF1 to TF1: parameter servers that end when their workers say so.

A parameter server of TF1 never ends by itself. Programs gave each a queue, into which
every worker puts a number when it has ended, and which the server reads so many times:

    queue = tf.FIFOQueue(workers, tf.int32, shared_name="done_queue0")
    for i in range(workers):
        sess.run(queue.dequeue())

What waits here becomes `server.join()`, which then returns when all workers have ended,
and what tells goes: the coordinator knows when they have. All of it has to be seen: one
use of such a queue for something else, and the program stays as it is.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.normalise.server_queues.program import Unclear
from migrate.normalise.server_queues.texts import Written
from migrate.normalise.text import Text


@dataclasses.dataclass(frozen=True)
class DoneQueues:
    """A program without its queues.

    Attributes:
      text: the program; where a parameter server waited stands `server.join()`.
      lines: original lines of the queues; none if there are no such queues.
    """

    text: Text
    lines: tuple[int, ...] = ()


def replace_queues(text: Text) -> DoneQueues:
    """The text without the queues that end parameter servers, where that is clear."""
    if not _mentions_queue(text.source):
        return DoneQueues(text)
    try:
        return _Program(text).run()
    except Unclear:
        return DoneQueues(text)


def explain_refusal(text: Text) -> tuple[int, str] | None:
    """The line and reason why a shared queue was left; None if none was."""
    if not _mentions_queue(text.source):
        return None
    try:
        _Program(text).run()
    except Unclear as unclear:
        line = getattr(unclear.node, "lineno", 1)
        return text.origins[line - 1], unclear.reason
    return None


def _mentions_queue(source: str) -> bool:
    return "FIFOQueue" in source and "shared_name" in source and "Server(" in source


class _Program(Written):
    def run(self) -> DoneQueues:
        """The program without its queues.

        Raises:
          Unclear: they do something else, or their use is not read.
        """
        if not self._makers:
            return DoneQueues(self._text)
        server = self._find_server()
        for join in self._joined:
            assert isinstance(join.func, ast.Attribute)
            if names.find_key(join.func.value) == server:
                raise Unclear(join, "the server waits for ever beside it")
        for maker in self._makers:
            self._check_place(maker)
        self._read_suite(self._tree.body)
        if not self._waits:
            raise Unclear(
                self._makers[0],
                "the tool does not see a parameter server that waits for it",
            )
        for wait in self._waits:
            self._join_for(wait)
        self._drop_sessions()
        self._drop_empty()
        self._check_all_gone()
        lines = tuple(sorted({self._text.origins[m.lineno - 1] for m in self._makers}))
        return DoneQueues(self._write_text(server), lines)

    def _find_server(self) -> str:
        made = self._scopes.list_calls("tf.train.Server")
        statement = self._scopes.parents[made[0]] if made else None
        if len(made) != 1 or not isinstance(statement, ast.Assign):
            raise Unclear(self._makers[0], "the program has no server, or several")
        server = names.find_key(statement.targets[0])
        if server is None:
            raise Unclear(statement, "the server is not kept in a variable")
        return server
