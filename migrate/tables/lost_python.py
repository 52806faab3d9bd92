"""Names of Python 3.7, with which TensorFlow 1.15 runs, that Python 3.11 does not have.

`tests/migrate/rules/test_lost_python.py` looks for each name in both. Sources: "Removed" in
docs.python.org/3/whatsnew/3.8.html, and in those of 3.9, 3.10 and 3.11.
"""

from __future__ import annotations

import re

_ABSTRACT = (
    *("AsyncGenerator", "AsyncIterable", "AsyncIterator", "Awaitable", "ByteString"),
    *("Callable", "Collection", "Container", "Coroutine", "Generator", "Hashable"),
    *("ItemsView", "Iterable", "Iterator", "KeysView", "Mapping", "MappingView"),
    *("MutableMapping", "MutableSequence", "MutableSet", "Reversible", "Sequence"),
    *("Set", "Sized", "ValuesView"),
)
# Name, or module -> what to do.
LOST = {
    **{f"collections.{n}": f"Write collections.abc.{n}." for n in _ABSTRACT},
    "asyncio.coroutine": "Write `async def`.",
    "base64.decodestring": "Write base64.decodebytes.",
    "base64.encodestring": "Write base64.encodebytes.",
    "cgi.escape": "Write html.escape(s, quote=False).",
    "cgi.parse_qs": "Write urllib.parse.parse_qs.",
    "cgi.parse_qsl": "Write urllib.parse.parse_qsl.",
    "dummy_threading": "Import threading.",
    "fractions.gcd": "Write math.gcd.",
    "inspect.ArgSpec": "Write inspect.FullArgSpec.",
    "inspect.formatargspec": "Write str(inspect.signature(function)).",
    "inspect.getargspec": "Write inspect.getfullargspec. It returns three fields more, "
    "and calls `keywords` `varkw`.",
    "platform.dist": "Use the package distro.",
    "platform.linux_distribution": "Use the package distro.",
    "platform.popen": "Write os.popen.",
    "plistlib.readPlist": "Write plistlib.load.",
    "plistlib.readPlistFromBytes": "Write plistlib.loads.",
    "plistlib.writePlist": "Write plistlib.dump.",
    "plistlib.writePlistToBytes": "Write plistlib.dumps.",
    "sys.getcheckinterval": "Write sys.getswitchinterval, which returns seconds.",
    "sys.setcheckinterval": "Write sys.setswitchinterval, which takes seconds.",
    "time.clock": "Write time.perf_counter() for a duration, or time.process_time() "
    "for the time of the processor.",
}


def _match_words(words: set[str]) -> re.Pattern[bytes]:
    return re.compile(rb"\b(?:%s)\b" % "|".join(sorted(words)).encode())


_LAST = _match_words({name.rpartition(".")[2] for name in LOST})
_FIRST = _match_words({name.partition(".")[0] for name in LOST})


def is_mentioned(data: bytes) -> bool:
    """Whether a file has the words of such a name."""
    return _LAST.search(data) is not None and _FIRST.search(data) is not None
