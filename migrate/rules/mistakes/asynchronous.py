"""D140: MirroredStrategy described as asynchronous, or given a parameter-server cluster.

It is synchronous: in every step the replicas wait for each other, and the mean of their
gradients is applied once. What the program says of it is found in its comments,
strings and names; a sentence that denies it ("not asynchronous") says something else.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import Mistake, find_binding, list_calls
from migrate.tables import roles

_MIRRORED = frozenset(
    {
        "tf.distribute.MirroredStrategy",
        "tf.contrib.distribute.MirroredStrategy",
        "tf.distribute.MultiWorkerMirroredStrategy",
        "tf.distribute.experimental.MultiWorkerMirroredStrategy",
        "tf.contrib.distribute.CollectiveAllReduceStrategy",
    }
)
_SAID = re.compile(r"\basync(hronous(ly)?)?\b|异步", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(not|no|never|non|neither|nor|unlike|without|instead|rather|than|versus|vs|or)\b"
    r"|n't\b|不|非|而是|同步",
    re.IGNORECASE,
)
# Of training, and of nothing else that may be asynchronous.
_OF_TRAINING = re.compile(
    r"train|updat|gradient|distribut|strateg|worker|replica|sgd|mirrored|paramet"
    r"|训练|更新|梯度|分布|策略|副本|工作",
    re.I,
)
_OF_OTHERS = re.compile(
    r"checkpoint|prefetch|load|read|input|eager|dispatch|copy|copies|file|fetch"
    r"|\bdata\b|dataset|queue|log|sav|evaluat|await|asyncio|request|kernel|comm|reduc"
    r"|读|加载|预取|数据|检查点|保存|日志|评估",
    re.I,
)
_DATA_PARALLEL = re.compile(r"\bdata[- ]parallel\w*", re.I)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n\s*\n")
MEANING = (
    "In asynchronous training each worker applies its own gradients to variables on "
    "parameter servers, and does not wait for other workers. They may have changed the "
    "variables in the meantime. That is tf.distribute.ParameterServerStrategy with a "
    "ClusterCoordinator"
)
_RECIPE = (
    f"{MEANING}: `tf1to2 migrate --strategy parameter-server` writes it for a "
    'TensorFlow 1 session program. Or change the word "asynchronous" to '
    '"synchronous".'
)


# Of a cluster with parameter servers, which the strategy does not use.
_RECIPE_OF_SERVERS = (
    "Use tf.distribute.ParameterServerStrategy with a ClusterCoordinator, which uses the "
    "parameter servers. Or leave the parameter servers out of the cluster, and use "
    "tf.distribute.MultiWorkerMirroredStrategy."
)


def find(scopes: Scopes, text: str) -> Iterator[Mistake]:
    if "ParameterServer" in text:
        return  # Both are spoken of; which of them is meant is not told.
    made = [(call, s) for call, s in list_calls(scopes) if s in _MIRRORED]
    if not made:
        return
    call, symbol = made[0]
    name = symbol.rpartition(".")[2]
    line = find_said(text)
    for other, chosen in made if line is None else ():
        test = _find_choosing_test(scopes, other)
        if test is not None:
            call, symbol, line = other, chosen, test.lineno
            name = symbol.rpartition(".")[2]
            break
    if line is not None:
        yield Mistake(
            call,
            "D140",
            f"{name} is synchronous, but line {line} says asynchronous. In every "
            "step all replicas wait for each other, and the mean of their "
            "gradients is applied once",
            _RECIPE,
            symbol=symbol,
            kept=True,
        )
    elif "MultiWorker" not in name and _has_servers(scopes):
        yield Mistake(
            call,
            "D140",
            f"the cluster has parameter servers, but {name} does not use them. "
            "Every process trains a model of its own on its own devices",
            _RECIPE_OF_SERVERS,
            symbol=symbol,
        )


def _find_choosing_test(scopes: Scopes, call: ast.Call) -> ast.expr | None:
    """The test by which a strategy is that of `mode == "async"`, if one is."""
    child: ast.AST = call
    while child in scopes.parents:
        node = scopes.parents[child]
        if isinstance(node, ast.If) and child in node.body:
            test = node.test
            if (
                isinstance(test, ast.Compare)
                and isinstance(test.ops[0], ast.Eq)
                and any(
                    re.fullmatch(
                        r"async(hronous)?", str(names.read_literal(side)), re.I
                    )
                    for side in (test.left, *test.comparators)
                )
            ):
                return test
        child = node
    return None


def find_said(text: str) -> int | None:
    """The first line that says that training is asynchronous, None if none does."""
    for line, words in _find_words(text):
        for sentence in _SENTENCE.split(words):
            shown = _DATA_PARALLEL.sub("distributed", sentence)
            if (
                _SAID.search(shown)
                and _OF_TRAINING.search(shown)
                and not _DENIED.search(shown)
                and not _OF_OTHERS.search(shown)
            ):
                before = words[: words.index(sentence) + _SAID.search(sentence).start()]  # type: ignore[union-attr]
                return line + before.count("\n")
    return None


def _find_words(text: str) -> Iterator[tuple[int, str]]:
    """Comments (those that follow each other as one), strings and names, by line."""
    comments: list[str] = []
    start = last = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line = token.start[0]
        if token.type == tokenize.COMMENT:
            if comments and line != last + 1:
                yield start, "\n".join(comments)
                comments = []
            if not comments:
                start = line
            last = line
            comments.append(token.string.lstrip("# "))
        elif token.type == tokenize.STRING:
            yield line, token.string
        elif token.type == tokenize.NAME and "async" in token.string.lower():
            spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", token.string)
            if " " in spaced.strip():
                yield line, spaced
    if comments:
        yield start, "\n".join(comments)


def _has_servers(scopes: Scopes) -> bool:
    """Whether a cluster with parameter servers is described, and no session opened."""
    found = list(list_calls(scopes))
    if any(symbol in roles.SESSIONS for _, symbol in found):
        return False
    for call, symbol in found:
        if symbol == "tf.train.ClusterSpec" and call.args:
            given = find_binding(scopes, call.args[0]) or call.args[0]
            if isinstance(given, ast.Dict):
                return "ps" in {names.read_literal(k) for k in given.keys}
    return False
