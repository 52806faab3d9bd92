"""Calls of Python's library and NumPy, and what they do to a process: observed, not told.

Each call runs in a process and a directory of its own, several times: with other contents of the
files, and with other seeds. What it writes is seen by comparing before and after; what it
reads, by comparing the results. `observed_calls.tsv` has what was seen.

    python -m tests.mutation.host_calls --all     observes all calls, and writes it
    python -m tests.mutation.host_calls           only new ones
    python -m tests.mutation.host_calls --compare says which do something else now
"""

from __future__ import annotations

import io
import json
import os
import pathlib
import pickle
import random
import re
import shutil
import signal
import sys
import tarfile
import tempfile
import traceback
import zipfile
from typing import Any

RECORDED = pathlib.Path(__file__).with_name("observed_calls.tsv")

STDOUT, LOG, FILES, PATH = "stdout", "log", "files", "path"
PYTHON_RANDOM, NUMPY_RANDOM, PROCESS = "python random", "numpy random", "process"
# It runs other code: of a text, a module, another process or machine.
ELSEWHERE = "elsewhere"

# Python 2's names of modules.
_OLDER = {
    "cPickle": "pickle",
    "Queue": "queue",
    "urllib2": "urllib.request",
}
_STARTS = frozenset(
    {"os.system", "os.fork", "os.forkpty", "subprocess.Popen", "os.posix_spawn"}
    | {"socket.__new__", "socket.connect", "socket.getaddrinfo", "urllib.Request"}
)
# Calls of what a row of the tables may be about. `x.txt` and the others are there; `extra.txt`
# is there in some runs.
CALLS = """
abs(-1) | bool(0) | dict(a=1) | enumerate([1]) | float("1") | int("1") | isinstance(1, int) | len([1]) | list("ab")
max(1, 2) | min(1, 2) | range(3) | reversed([1]) | round(1.5) | sorted([2, 1]) | str(1) | sum([1]) | tuple("ab") | zip([1], [2])
print("x") | input("x") | list(open("x.txt")) | exec("1") | eval("1") | exit() | quit() | __import__("own_module")
abc.ABCMeta("A", (), {}) | argparse.ArgumentParser() | ast.parse("x") | base64.b64encode(b"x") | bisect.bisect([1], 1)
calendar.isleap(2000) | collections.OrderedDict() | contextlib.suppress(OSError) | copy.deepcopy([1]) | csv.reader(["a,b"])
dataclasses.field() | datetime.timedelta(1) | decimal.Decimal("1.5") | difflib.ndiff(["a"], ["b"]) | enum.auto()
fractions.Fraction(1, 2) | functools.partial(print, 1) | gc.isenabled() | getopt.getopt([], "a") | hashlib.md5(b"x").hexdigest()
heapq.nlargest(1, [1, 2]) | inspect.signature(len) | io.StringIO("x") | itertools.chain([1], [2]) | json.loads("[1]") | json.dumps([1])
json.JSONEncoder() | keyword.iskeyword("if") | locale.getlocale() | math.sqrt(2.0) | numbers.Number() | operator.add(1, 2)
pprint.pformat([1]) | pprint.pprint([1]) | queue.Queue() | re.compile("a") | string.capwords("a b") | struct.pack("i", 1)
sys.getrecursionlimit() | textwrap.dedent(" a") | threading.Lock() | time.sleep(0) | traceback.format_exc() | types.SimpleNamespace()
typing.cast(int, 1) | unicodedata.name("a") | unittest.TestCase() | urllib.parse.quote("a b") | uuid.UUID(int=1)
warnings.filterwarnings("ignore") | weakref.WeakSet() | zlib.compress(b"x") | os.getcwd() | os.path.join("a", "b") | os.getenv("HOME")
glob.escape("*") | fnmatch.fnmatch("a", "*") | pathlib.Path("x") | platform.system() | getpass.getuser() | socket.gethostname()
tempfile.gettempdir() | __future__.division.getMandatoryRelease() | builtins.len([1]) | six.text_type("x") | multiprocessing.cpu_count()
statistics.mean([1, 2]) | multiprocessing.Queue() | multiprocessing.Process() | Queue.Queue() | logging.getLogger("x")
numpy.ones(2) | absl.flags.FlagValues() | attr.Factory(list) | packaging.version.Version("1.0")
sys.stdout.write("x") | sys.stderr.write("x") | logging.debug("x") | logging.info("x") | logging.warning("x") | logging.warn("x")
logging.error("x") | logging.exception("x") | logging.critical("x") | logging.log(50, "x") | absl.logging.error("x")
absl.logging.set_verbosity(0) | warnings.warn("x") | traceback.print_exc() | traceback.print_stack()
traceback.print_exception(ValueError()) | traceback.print_list([("x", 1, "f", "")]) | tempfile.gettempprefix()
os.mkdir("new") | os.makedirs("new/one") | os.remove("x.txt") | os.unlink("x.txt") | os.rename("x.txt", "new") | os.replace("x.txt", "new")
os.rmdir("empty") | os.removedirs("empty") | os.symlink("x.txt", "new") | os.link("x.txt", "new") | os.chdir("empty")
os.listdir(".") | next(os.walk(".")) | os.path.exists("extra.txt") | os.path.isfile("extra.txt") | os.path.isdir("extra") | os.path.getsize("x.txt")
os.path.getmtime("x.txt") | glob.glob("*") | list(glob.iglob("*")) | io.open("x.txt").read() | codecs.open("x.txt").read()
gzip.open("x.gz").read() | bz2.open("x.bz2").read() | zipfile.ZipFile("x.zip").namelist() | tarfile.open("x.tar").getnames() | shutil.rmtree("full")
shutil.copy("x.txt", "new") | pickle.load(open("x.pkl", "rb")) | pickle.dump(1, open("new", "wb")) | cPickle.load(open("x.pkl", "rb"))
six.moves.cPickle.load(open("x.pkl", "rb")) | json.dump([1], open("new", "w")) | json.load(open("x.json")) | tempfile.mkdtemp(dir=".")
pickle.loads(b"N.") | pickle.dumps(None)
numpy.save("new", numpy.ones(1)) | numpy.savez("new", numpy.ones(1)) | numpy.savetxt("new", numpy.ones(1)) | numpy.load("x.npy")
numpy.loadtxt("x.txt") | numpy.genfromtxt("x.txt") | numpy.fromfile("x.txt", dtype="u1")
random.random() | random.seed(7) | random.Random(1) | numpy.random.rand() | numpy.random.seed(7) | numpy.random.RandomState(1) | numpy.random.default_rng(1)
sys.exit() | os._exit(0) | os.abort() | os.kill(os.getpid(), 15) | signal.signal(10, signal.SIG_IGN) | atexit.register(print)
os.system("true") | os.popen("true").read() | os.fork() | subprocess.call(["true"]) | urllib.request.urlopen("http://127.0.0.1:9/")
urllib2.urlopen("http://127.0.0.1:9/") | requests.get("http://127.0.0.1:9/") | socket.socket()
sys.path.append("new") | sys.path.insert(0, "new") | sys.path.extend(["new"]) | sys.path.remove(sys.path[-1]) | sys.path.pop() | site.addsitedir("full")
os.environ.setdefault("NEW", "1") | os.environ.update(NEW="1") | os.environ.pop("KNOWN") | os.putenv("NEW", "1")
importlib.import_module("own_module") | importlib.reload(own_module)
"""


def calls() -> list[str]:
    """The calls, as they are written."""
    return [c.strip() for line in CALLS.split("\n") for c in line.split(" | ") if c]


def _fill(directory: pathlib.Path, other: bool) -> None:
    """Writes the files: in the other directory they say something else."""
    number = 345 if other else 12
    for name in ("empty", "full"):
        (directory / name).mkdir()
    (directory / "full/x.txt").write_text("1")
    (directory / "full/x.pth").write_text("")
    (directory / "x.txt").write_text(f"{number}\n")
    os.utime(directory / "x.txt", (number, number))
    (directory / "x.json").write_text(f"[{number}]")
    (directory / "x.pkl").write_bytes(pickle.dumps(number))
    (directory / "own_module.py").write_text("")
    import bz2
    import gzip

    import numpy as np

    np.save(directory / "x.npy", np.array([number]))
    (directory / "x.gz").write_bytes(gzip.compress(str(number).encode()))
    (directory / "x.bz2").write_bytes(bz2.compress(str(number).encode()))
    with zipfile.ZipFile(directory / "x.zip", "w") as file:
        file.writestr(f"of {number}", "")
    with tarfile.open(directory / "x.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo(f"of {number}"), io.BytesIO())
    if other:
        (directory / "extra.txt").write_text("")
        (directory / "extra").mkdir()


def _look(directory: pathlib.Path) -> object:
    """Returns the files of a directory, and the process's own directory."""
    found = [
        (str(p), p.is_symlink(), p.read_bytes() if p.is_file() else b"")
        for p in sorted(directory.rglob("*"))
        if "__pycache__" not in str(p)
    ]
    return found, os.getcwd()


def _import(text: str) -> dict[str, Any]:
    """The names that a call needs."""
    # What they import when they are called for the first time is no effect of theirs.
    import multiprocessing.queues
    import multiprocessing.synchronize  # noqa: F401

    names: dict[str, Any] = {}
    for older, now in _OLDER.items():
        if older in text:
            __import__(now)
            sys.modules[older] = sys.modules[now]
    for path in re.findall(r"\b[A-Za-z_][\w.]*(?=\.)", text):
        for end in (path, *(path[:i] for i, c in enumerate(path) if c == ".")):
            try:
                names[end.partition(".")[0]] = __import__(end)
            except ImportError:
                pass
    if "own_module" in text and "import_" not in text:
        names["own_module"] = __import__("own_module")
    return names


def _states() -> dict[str, object]:
    import atexit

    import numpy as np

    return {
        PYTHON_RANDOM: random.getstate(),
        NUMPY_RANDOM: str(np.random.get_state()),
        PATH: ([*sys.path], dict(os.environ), _environment()),
        PROCESS: (
            [str(signal.getsignal(n)) for n in (2, 10, 12, 15)],
            atexit._ncallbacks(),
        ),
    }


def _environment() -> str | None:
    import ctypes

    get = ctypes.CDLL(None).getenv
    get.restype = ctypes.c_char_p
    value: bytes | None = get(b"NEW")
    return None if value is None else value.decode()


def _run(text: str, directory: pathlib.Path, seeds: tuple[int, int]) -> dict[str, Any]:
    """Runs a call in this process, which has nothing else to do."""
    import logging

    import numpy as np

    sys.path.append(str(directory))
    os.environ["KNOWN"] = "1"
    os.chdir(directory)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{directory}.{name}", os.O_CREAT | os.O_WRONLY), number)
    (directory.parent / "typed").write_text("y\n")
    os.dup2(os.open(directory.parent / "typed", os.O_RDONLY), 0)
    sys.stdin = os.fdopen(0)
    sys.stdout = os.fdopen(1, "w", buffering=1)
    sys.stderr = os.fdopen(2, "w", buffering=1)
    names = _import(text)
    if "logging" in text:
        logging.basicConfig(level=0)
    random.seed(seeds[0])
    np.random.seed(seeds[1])
    seen: set[str] = set()

    def notice(event: str, given: Any) -> None:
        file = getattr(given[0], "co_filename", "") if event == "exec" else ""
        if event in _STARTS or file.endswith(("<string>", "own_module.py")):
            seen.add(ELSEWHERE)

    before, states = _look(directory), _states()
    sys.addaudithook(notice)
    result = ""
    parent = os.getpid()
    try:
        result = repr(eval(compile(text, "<call>", "eval"), names))
    except SystemExit:
        seen.add(PROCESS)
    except Exception as error:
        result = f"{type(error).__name__}"
    if os.getpid() != parent:
        os._exit(0)
    started = {*seen}
    sys.stdout.flush()
    sys.stderr.flush()
    seen |= {k for k, v in _states().items() if v != states[k]}
    if _look(directory) != before:
        seen.add(FILES)
    for kind, name in ((STDOUT, "out"), (LOG, "err")):
        if os.path.getsize(f"{directory}.{name}"):
            seen.add(kind)
    result = re.sub(r" at 0x\w+|/tmp/\S+", "", result)
    return {"seen": sorted(seen | started), "result": result}


def _run_in_child(text: str, other: bool, seeds: tuple[int, int]) -> dict[str, Any]:
    home = pathlib.Path(tempfile.mkdtemp())
    directory = home / "sandbox"
    directory.mkdir()
    _fill(directory, other)
    answer = home / "answer"
    child = os.fork()
    if not child:
        try:
            found = _run(text, directory, seeds)
            answer.write_text(json.dumps(found))
        except BaseException:
            answer.write_text(traceback.format_exc())
        os._exit(0)
    os.waitpid(child, 0)
    text = answer.read_text() if answer.exists() else ""
    shutil.rmtree(home)
    found = json.loads(text) if text else {"seen": [PROCESS], "result": ""}
    return dict(found)


def observe(text: str) -> frozenset[str]:
    """Observes the effects of a call, and what its result depends on."""
    plain, again, files, python, numpy = (
        _run_in_child(text, other, seeds)
        for other, seeds in (
            (False, (1, 1)),
            (False, (1, 1)),
            (True, (1, 1)),
            (False, (2, 1)),
            (False, (1, 2)),
        )
    )
    seen = {*plain["seen"]}
    if plain["result"] == again["result"]:
        for kind, run in (
            (FILES, files),
            (PYTHON_RANDOM, python),
            (NUMPY_RANDOM, numpy),
        ):
            if run["result"] != plain["result"]:
                seen.add(kind)
    return frozenset(seen)


def recorded() -> dict[str, frozenset[str]]:
    """Call -> what was observed."""
    lines = (x.split("\t") for x in RECORDED.read_text("utf-8").splitlines())
    return {text: frozenset(k for k in kinds.split(", ") if k) for text, kinds in lines}


# -- what the tool says of them ----------------------------------------------------------


def _program(text: str) -> str:
    """A program with no more than a call."""
    paths = re.findall(r"(?<![.\w\"/])([A-Za-z_]\w*)\.", text)
    return "".join(f"import {name}\n" for name in dict.fromkeys(paths)) + f"{text}\n"


def find_contradictions() -> list[str]:
    """Calls of which the tool says something else than was observed."""
    from migrate.facts.scopes import build_scopes
    from migrate.gates.traces import find_sites
    from migrate.source.nodes import parse_source
    from migrate.tables.host_effects import Does

    known = {
        **{STDOUT: Does.STDOUT, LOG: Does.LOG, FILES: Does.FILES, PATH: Does.PATH},
        **{PYTHON_RANDOM: Does.PYTHON_RANDOM, NUMPY_RANDOM: Does.NUMPY_RANDOM},
        **{PROCESS: Does.PROCESS, ELSEWHERE: Does.UNSEEN},
    }
    found = []
    for text, seen in recorded().items():
        program = _program(text)
        sites = find_sites(build_scopes(parse_source(program)), program)
        told = {site.effect.kind for site in sites if site.effect.kind}
        # Code that runs elsewhere may do anything.
        wanted = {Does.UNSEEN} if ELSEWHERE in seen else {known[kind] for kind in seen}
        if told != wanted:
            found.append(f"{text}: {sorted(told)}, observed {sorted(wanted)}")
    return found


def main() -> int:
    if "--compare" in sys.argv:
        known = recorded()
        changed = [text for text in calls() if observe(text) != known.get(text)]
        print("\n".join(changed))
        return int(bool(changed) or [*known] != calls())
    known = {} if "--all" in sys.argv else recorded()
    seen = {text: known[text] if text in known else observe(text) for text in calls()}
    lines = [f"{text}\t{', '.join(sorted(kinds))}\n" for text, kinds in seen.items()]
    RECORDED.write_text("".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
