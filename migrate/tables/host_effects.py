"""Lists what a program does besides computing values, by the name of the called function.

Two effects conflict when they may change one another's result: then their order is part
of what the program means. `UNSEEN` is code that cannot be read; it conflicts with all.
"""

from __future__ import annotations

import enum


class Does(enum.IntEnum):
    """One kind of effect. The order of the kinds decides which difference is reported
    first.
    """

    NOTHING = 0
    NUMPY_RANDOM = enum.auto()
    PYTHON_RANDOM = enum.auto()
    UNSEEN = enum.auto()  # Code that cannot be read.
    FILES = enum.auto()
    STDOUT = enum.auto()
    PATH = enum.auto()  # Places from which modules are imported.
    LOG = enum.auto()
    OBJECT = enum.auto()  # Effects on one named object: a list, a generator, a reader.
    PROCESS = enum.auto()


# Built-in functions. All others only compute.
BUILTINS: dict[str, Does] = {
    "print": Does.STDOUT,
    "input": Does.STDOUT,
    "open": Does.FILES,
    "exec": Does.UNSEEN,
    "eval": Does.UNSEEN,
    "exit": Does.PROCESS,
    "quit": Does.PROCESS,
    "__import__": Does.UNSEEN,
}

# Built-in functions that only give a value.
PURE_BUILTINS = frozenset(
    {"abs", "bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list"}
    | {"max", "min", "range", "reversed", "round", "sorted", "str", "sum", "tuple"}
    | {"zip"}
)
# Built-in functions that call their arguments.
RUNS_GIVEN = frozenset({"filter", "map", "max", "min", "sorted"})

# Functions of modules. The longest listed prefix decides. A function that is not listed
# is unseen, and so are the effects of its results.
FUNCTIONS: dict[str, Does] = {
    # Modules of Python's library whose functions read and compute.
    **dict.fromkeys(
        (
            *("abc", "argparse", "ast", "base64", "bisect", "calendar", "collections"),
            *("contextlib", "copy", "csv", "dataclasses", "datetime", "decimal"),
            *("difflib", "enum", "fractions", "functools", "gc", "getopt", "hashlib"),
            *("heapq", "inspect", "io", "itertools", "json", "keyword", "locale"),
            *("math", "numbers", "operator", "pprint.pformat", "queue", "re"),
            *("string", "struct", "sys", "textwrap", "threading", "time", "traceback"),
            *("types", "typing", "unicodedata", "unittest", "urllib.parse", "uuid"),
            *("warnings.filterwarnings", "weakref", "zlib", "os", "glob", "fnmatch"),
            *(
                "pathlib",
                "platform",
                "getpass",
                "socket.gethostname",
                "tempfile.gettempdir",
                "tempfile.gettempprefix",
            ),
            *(
                "__future__",
                "builtins",
                "six",
                "multiprocessing.cpu_count",
                "statistics",
            ),
            *("multiprocessing.Queue", "multiprocessing.Process", "Queue", "logging"),
            # Packages that compute.
            *("numpy", "scipy", "absl", "attr", "packaging"),
        ),
        Does.NOTHING,
    ),
    "pprint": Does.STDOUT,
    "sys.stdout": Does.STDOUT,
    "sys.stderr": Does.LOG,
    "logging.debug": Does.LOG,
    "logging.info": Does.LOG,
    "logging.warning": Does.LOG,
    "logging.warn": Does.LOG,
    "logging.error": Does.LOG,
    "logging.exception": Does.LOG,
    "logging.critical": Does.LOG,
    "logging.log": Does.LOG,
    "absl.logging": Does.LOG,
    "absl.logging.set_verbosity": Does.NOTHING,
    "warnings": Does.LOG,
    **{
        f"traceback.print_{what}": Does.LOG
        for what in ("exc", "exception", "last", "list", "stack", "tb")
    },
    # Files.
    "os.mkdir": Does.FILES,
    "os.makedirs": Does.FILES,
    "os.remove": Does.FILES,
    "os.unlink": Does.FILES,
    "os.rename": Does.FILES,
    "os.replace": Does.FILES,
    "os.rmdir": Does.FILES,
    "os.removedirs": Does.FILES,
    "os.symlink": Does.FILES,
    "os.link": Does.FILES,
    "os.chdir": Does.FILES,
    "os.listdir": Does.FILES,
    "os.walk": Does.FILES,
    "os.path.exists": Does.FILES,
    "os.path.isfile": Does.FILES,
    "os.path.isdir": Does.FILES,
    "os.path.getsize": Does.FILES,
    "os.path.getmtime": Does.FILES,
    "glob.glob": Does.FILES,
    "glob.iglob": Does.FILES,
    "io.open": Does.FILES,
    "codecs": Does.FILES,
    "gzip": Does.FILES,
    "bz2": Does.FILES,
    "zipfile": Does.FILES,
    "tarfile": Does.FILES,
    "shutil": Does.FILES,
    "pickle": Does.FILES,
    "cPickle": Does.FILES,
    "six.moves.cPickle": Does.FILES,
    "json.dump": Does.FILES,
    "json.load": Does.FILES,
    "tempfile": Does.FILES,
    "numpy.save": Does.FILES,
    "numpy.savez": Does.FILES,
    "numpy.savetxt": Does.FILES,
    "numpy.load": Does.FILES,
    "numpy.loadtxt": Does.FILES,
    "numpy.genfromtxt": Does.FILES,
    "numpy.fromfile": Does.FILES,
    "json.loads": Does.NOTHING,
    "json.dumps": Does.NOTHING,
    "pickle.loads": Does.NOTHING,
    "pickle.dumps": Does.NOTHING,
    # Random draws and their seeds.
    "random": Does.PYTHON_RANDOM,
    "random.Random": Does.NOTHING,
    "numpy.random": Does.NUMPY_RANDOM,
    "numpy.random.RandomState": Does.NOTHING,
    "numpy.random.default_rng": Does.NOTHING,
    # The process, the machine.
    "sys.exit": Does.PROCESS,
    "os._exit": Does.PROCESS,
    "os.abort": Does.PROCESS,
    "os.kill": Does.PROCESS,
    "signal": Does.PROCESS,
    "atexit": Does.PROCESS,
    "os.system": Does.UNSEEN,
    "os.popen": Does.UNSEEN,
    "os.fork": Does.UNSEEN,
    # Places from which modules are imported.
    "sys.path.append": Does.PATH,
    "sys.path.insert": Does.PATH,
    "sys.path.extend": Does.PATH,
    "sys.path.remove": Does.PATH,
    "sys.path.pop": Does.PATH,
    "site": Does.PATH,
    "os.environ.setdefault": Does.PATH,
    "os.environ.update": Does.PATH,
    "os.environ.pop": Does.PATH,
    "os.putenv": Does.PATH,
}

# TensorFlow's functions with an effect of their own; the others build or run a graph.
TENSORFLOW: dict[str, Does] = {
    "tf.gfile": Does.FILES,
    "tf.io.gfile": Does.FILES,
    "tf.logging": Does.LOG,
    "tf.logging.set_verbosity": Does.NOTHING,
    "tf.python_io.TFRecordWriter": Does.FILES,
    "tf.io.TFRecordWriter": Does.FILES,
}

# Parts of TensorFlow, and written modules, that read a program's data: they are its own code.
READERS: dict[str, Does] = {
    "tensorflow.examples": Does.FILES,
    "mnist_input_data": Does.FILES,
}

# Modules of TensorFlow that have no part in graphs.
HOST_MODULES = frozenset({"FLAGS", "app", "errors", "flags", "gfile", "logging"})
# Packages and built-in functions whose results are values, whatever their arguments are.
OF_VALUES = frozenset({"json", "math", "numpy", "os", "random", "re", "sys", "time"})
VALUES = frozenset({"bool", "float", "int", "len", "open", "repr", "str"})

# Old names of functions that have a new name and do the same.
SAME: dict[str, str] = {
    "deleterecursively": "rmtree",
    "listdirectory": "listdir",
    "isdirectory": "isdir",
    "open": "gfile",
    "fastgfile": "gfile",
    "warn": "warning",
}

# Methods that only compute, of strings, arrays, dictionaries, and flags.
PURE_METHODS = frozenset(
    {"all", "any", "argmax", "argmin", "argsort", "as_list", "astype", "center"}
    | {"copy", "count", "cumsum", "decode", "dot", "encode", "endswith", "expanduser"}
    | {"find", "flatten", "format", "get", "has_key", "index", "is_alive", "isdigit"}
    | {"items", "iteritems", "iterkeys", "itervalues", "join", "keys", "ljust", "lower"}
    | {"lstrip", "max", "mean", "min", "nonzero", "parse_args", "parse_known_args"}
    | {"ravel", "repeat", "replace"}
    | {"reshape", "rfind", "rjust", "rsplit", "rstrip", "split", "splitlines"}
    | {"squeeze", "startswith", "std", "strip", "strftime", "sum", "title", "tolist"}
    | {"tostring", "transpose", "upper", "values", "var", "zfill", "group", "groups"}
)
# Methods that change their object, of lists, sets, and dictionaries.
CHANGING_METHODS = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "extendleft"}
    | {"insert", "pop", "popitem", "popleft", "remove", "reverse", "setdefault"}
    | {"sort", "update", "fill", "shuffle", "seed"}
)
# Functions of libraries, and methods of other objects, that change their arguments.
CHANGING_FUNCTIONS = frozenset(
    {
        "at",
        "copyto",
        "fill_diagonal",
        "heapify",
        "heappop",
        "heappush",
        "heappushpop",
        "heapreplace",
        "insort",
        "insort_left",
        "insort_right",
        "place",
    }
    | {"put", "put_along_axis", "putmask", "shuffle"}
)
# Functions that take the next element of their argument, or change it.
CONSUMING = frozenset({"delattr", "next", "setattr"})
# Methods that change their object, besides those of lists, sets and dictionaries.
STATEFUL_METHODS = CHANGING_METHODS | frozenset(
    {"__delitem__", "__iadd__", "__next__", "__setattr__", "__setitem__", "byteswap"}
    | {"difference_update", "intersection_update", "itemset", "move_to_end", "next"}
    | {
        "partition",
        "put",
        "resize",
        "rotate",
        "send",
        "setfield",
        "setflags",
        "subtract",
    }
    | {"symmetric_difference_update"}
)
# Built-in functions that make a new object.
MAKERS = frozenset(
    {
        "abs",
        "bool",
        "bytearray",
        "bytes",
        "complex",
        "dict",
        "divmod",
        "float",
        "format",
    }
    | {
        "frozenset",
        "hasattr",
        "hash",
        "int",
        "isinstance",
        "len",
        "list",
        "object",
        "ord",
        "pow",
        "range",
    }
    | {"repr", "round", "set", "slice", "sorted", "str", "sum", "tuple"}
)
# Built-in functions whose results can be iterated over only once, and modules of such
# functions.
ITERATORS = frozenset({"enumerate", "filter", "iter", "map", "open", "reversed", "zip"})
ITERATOR_MODULES = frozenset({"itertools"})
# Built-in functions that return the names of a module or an object as a dict to change.
NAMESPACES = frozenset({"globals", "locals", "vars"})
# Methods that return what their object holds.
LOOKS_UP = frozenset({"get", "items", "iteritems", "itervalues", "values"})
# Decorators that trace the functions they decorate, and methods that Keras traces.
TRACES = frozenset({"defun", "function", "step_function"})
TRACED_METHODS = frozenset({"call", "predict_step", "test_step", "train_step"})
# Decorators of methods that are read as attributes.
PROPERTIES = frozenset({"cached_property", "property"})
# Kind of expression -> the methods that Python calls for it.
OPERATORS: dict[str, tuple[str, ...]] = {
    **{
        kind: (f"__{name}__", f"__r{name}__", f"__i{name}__")
        for kind, name in (
            *(("Add", "add"), ("Sub", "sub"), ("Mult", "mul"), ("MatMult", "matmul")),
            *(("Div", "truediv"), ("FloorDiv", "floordiv"), ("Mod", "mod")),
            *(("Pow", "pow"), ("BitAnd", "and"), ("BitOr", "or"), ("BitXor", "xor")),
            *(("LShift", "lshift"), ("RShift", "rshift")),
        )
    },
    "USub": ("__neg__",),
    "UAdd": ("__pos__",),
    "Invert": ("__invert__",),
    "Not": ("__bool__", "__len__"),
    "Lt": ("__lt__", "__gt__"),
    "Gt": ("__lt__", "__gt__"),
    "LtE": ("__le__", "__ge__"),
    "GtE": ("__le__", "__ge__"),
    "Eq": ("__eq__",),
    "NotEq": ("__eq__", "__ne__"),
    "In": ("__contains__", "__iter__", "__next__", "__getitem__"),
    "NotIn": ("__contains__", "__iter__", "__next__", "__getitem__"),
    "Subscript": ("__getitem__", "__setitem__", "__delitem__"),
    "Attribute": ("__getattr__", "__getattribute__", "__setattr__"),
    "With": ("__enter__", "__exit__"),
    "For": ("__iter__", "__next__", "__getitem__"),
    "comprehension": ("__iter__", "__next__", "__getitem__"),
    "Starred": ("__iter__", "__next__", "__getitem__", "__len__"),
    "If": ("__bool__", "__len__"),
    "While": ("__bool__", "__len__"),
    "IfExp": ("__bool__", "__len__"),
    "FormattedValue": ("__str__", "__repr__", "__format__"),
}
# Attributes of tensors that are plain Python values.
STATIC = frozenset({"as_list", "dtype", "get_shape", "name", "ndims", "rank", "shape"})
LOGGING_METHODS = frozenset(
    {"critical", "debug", "error", "exception", "info", "log", "warn", "warning"}
)
FILE_METHODS = frozenset(
    {"close", "flush", "read", "readline", "readlines", "write", "writelines"}
    | {"writerow", "writerows", "seek"}
)
# Names of modules that are written beside a program -> the module that they replace.
WRITTEN: dict[str, str] = {
    "training_session.numpy_random": "numpy.random",
    "training_session.python_random": "random",
}

# Methods of tensors, sessions and datasets, used if nothing else tells the type of the object.
GRAPH_METHODS = frozenset(
    {"apply_gradients", "as_default", "as_graph_def", "assign", "assign_add", "batch"}
    | {"assign_sub", "compute_gradients", "eval", "export_savedmodel", "get_next"}
    | {"experimental_run", "experimental_run_v2", "get_operation_by_name", "get_shape"}
    | {"get_tensor_by_name", "initialize", "initialized_value", "make_dataset_iterator"}
    | {"make_initializable_iterator", "make_one_shot_iterator", "minimize", "numpy"}
    | {"prefetch", "read_value", "run", "set_shape", "should_stop", "request_stop"}
)
# Functions that never return.
# Functions that give the same at every call with the same arguments, as long as the process
# stays in its directory.
SAME_AT_EVERY_CALL = frozenset(
    {"os.getcwd"}
    | {
        f"os.path.{name}"
        for name in ("abspath", "basename", "dirname", "expanduser", "join", "realpath")
    }
)
CHANGES_DIRECTORY = frozenset({"os.chdir", "os.fchdir"})

NEVER_RETURN = frozenset(
    {"sys.exit", "os._exit", "os.abort", "training_session.serve"}
    | {"training_session.leave"}
)
# Calls that show something to somebody, and change nothing else.
SHOWN = frozenset({Does.STDOUT, Does.LOG})
# Decorators of written modules that trace a function when it is defined.
TRACES_AT_ONCE = frozenset({"step_function"})
# Random generators of the whole program. Workers that serve get the same seed as the program.
GENERATORS = frozenset({Does.PYTHON_RANDOM, Does.NUMPY_RANDOM})
# Kinds of state that an assignment changes.
PATHS = frozenset({"sys.path", "os.environ"})
# Words in tests of a model_fn's mode.
MODES = frozenset({"EVAL", "INFER", "PREDICT", "TRAIN", "mode"})
# Words in tests of a task's job, as ClusterSpec names jobs.
JOBS = frozenset({"'chief'", "'master'", "'ps'", "'worker'"})
# Words in tests that both programs answer in their own way: whether a session has
# ended, and whether the file is the main program.
KNOWN_TESTS = frozenset({"'__main__'", "should_stop"})
# A hook tests whether its `before_run` asked for anything: `run_values.results is not
# None`. The code that replaces this test evaluates the condition of that request.
ASKED = frozenset({"None", "results"})
# Functions that call `main` without naming it.
RUNS_MAIN = ("tf.app.run", "absl.app.run")


def find_longest(path: str, rows: dict[str, Does]) -> Does | None:
    """Returns the row of the longest prefix of a dotted path that a table has."""
    while path:
        if path in rows:
            return rows[path]
        path = path.rpartition(".")[0]
    return None
