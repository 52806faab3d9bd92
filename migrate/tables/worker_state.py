"""Lists what the loops of several workers may share in one process, and what they may not.

A TF1 worker was a process: what its Python code kept in a variable was its own. In
asynchronous training one coordinator runs the loops of all workers in threads.
"""

from __future__ import annotations

from migrate.tables import host_effects

# Prefixes of callables whose result cannot change: sharing it is safe.
CONSTANT_RESULTS = (
    *("os.", "sys.", "re.", "logging.", "json.", "time.", "argparse.", "absl.", "six."),
    "tf.",
)
# Prefixes of callables of other libraries: objects that threads share safely, and data
# whose methods change nothing unless they say so.
HARMLESS = ("threading.", "multiprocessing.Lock", "functools.partial", "datetime.")
DATA = ("pandas.", "pickle.", "cPickle.", "sklearn.", "scipy.", "h5py.", "yaml.")
# Built-in functions whose result cannot change, or not by Python code.
CONSTANT_BUILTINS = frozenset(
    {
        "abs",
        "bool",
        "bytes",
        "complex",
        "divmod",
        "float",
        "format",
        "frozenset",
        "hash",
        "int",
        "isinstance",
    }
    | {
        "len",
        "max",
        "min",
        "object",
        "open",
        "ord",
        "pow",
        "range",
        "repr",
        "round",
        "str",
        "sum",
    }
    | {"tuple", "type", "getattr", "hasattr", "print"}
)
# Built-in functions whose result is an iterator, which has a position.
ITERATORS = frozenset({"iter", "zip", "map", "filter", "enumerate", "reversed"})
# Methods of iterators and generators. Every use changes the object.
_OF_GENERATORS = frozenset({"__next__", "next", "seed", "send", "shuffle"})
# Numpy's classes with a state. Every other numpy function returns an array.
NUMPY_STATEFUL = frozenset(
    {"numpy.random.RandomState", "numpy.random.default_rng", "numpy.random.Generator"}
)
# Methods that change a list, dict, set, deque or array in place, or write a file.
MUTATORS = (host_effects.STATEFUL_METHODS | {"write"}) - _OF_GENERATORS
# Functions that change a state of the whole process, and the objects of its flags.
OF_THE_PROCESS = frozenset(
    {"os.chdir", "os.putenv", "os.environ.update", "locale.setlocale"}
)
FLAGS = frozenset({"tf.app.flags.FLAGS", "tf.flags.FLAGS", "absl.flags.FLAGS"})
# Environment variables that change no number: they choose a device, or the amount of logging.
UNIMPORTANT_VARIABLES = frozenset(
    {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "TF_CPP_MIN_LOG_LEVEL"}
)
# Environment variables that launchers set for each process: Slurm's srun(1), Open MPI's and
# MPICH's mpirun, torchrun, Kubernetes.
RANKS = frozenset(
    {"RANK", "LOCAL_RANK", "SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID"}
    | {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK", "PMIX_RANK"}
    | {"TASK_INDEX", "TASK_ID", "HOSTNAME", "POD_NAME"}
)
NAMES_OF_HOSTS = frozenset(
    {"socket.gethostname", "socket.getfqdn", "platform.node", "os.uname"}
)
# Functions that change their first argument in place.
MUTATING_FUNCTIONS = frozenset(
    {"numpy.random.shuffle", "random.shuffle", "next", "setattr", "delattr"}
    | {"numpy.put", "numpy.copyto", "numpy.place", "numpy.fill_diagonal"}
    | {"numpy.putmask", "numpy.put_along_axis"}
    | {
        f"numpy.{name}.at"
        for name in ("add", "maximum", "minimum", "multiply", "subtract")
    }
    | {f"heapq.{name}" for name in ("heapify", "heappop", "heappush")}
    | {f"heapq.{name}" for name in ("heappushpop", "heapreplace")}
    | {f"bisect.insort{where}" for where in ("", "_left", "_right")}
)
# Those that need the list or array itself, and not an object that replaces it.
WANT_ITSELF = frozenset(
    name
    for name in MUTATING_FUNCTIONS
    if name.startswith(("heapq.", "numpy.copyto", "numpy.place"))
    or name.endswith(".at")
) | {"numpy.putmask", "numpy.put_along_axis"}
# Modules that are a random generator, one for each TF1 worker: prefix -> (name in the
# emitted module, the parts of the module that are not that generator).
GENERATORS: dict[str, tuple[str, frozenset[str]]] = {
    "numpy.random": (
        "numpy_random",
        frozenset({"RandomState", "default_rng", "Generator", "SeedSequence", "PCG64"})
        | {"MT19937", "Philox", "BitGenerator", "mtrand"},
    ),
    "random": ("python_random", frozenset({"Random", "SystemRandom"})),
}

# Functions that seed them.
SEEDS = frozenset(f"{module}.seed" for module in GENERATORS)
# Methods and functions of tf.data whose dataset draws random numbers.
SHUFFLING = frozenset({"shuffle", "shuffle_and_repeat", "sample_from_datasets"})
