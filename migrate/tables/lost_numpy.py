"""Names of NumPy 1.18, with which TensorFlow 1.15 runs, that 1.26 or 2.4 does not have.

TensorFlow 2.15 runs with NumPy 1.26, TensorFlow 2.21 with NumPy 2. What stands here in
place of a name means the same in all of them. `tests/migrate/rules/test_lost_numpy.py`
compares the values, and looks for each name in the three.

Sources: numpy.org/doc/stable/release/1.20.0-notes.html (names of Python's types),
numpy.org/doc/stable/numpy_2_0_migration_guide.html.
"""

from __future__ import annotations

import re

# Python's own types, by another name.
BUILTINS = {
    "bool": "bool",
    "complex": "complex",
    "float": "float",
    "int": "int",
    "long": "int",
    "object": "object",
    "str": "str",
    "unicode": "str",
}

# The same object by another name of NumPy.
RENAMED = {
    "AxisError": "exceptions.AxisError",
    "ComplexWarning": "exceptions.ComplexWarning",
    "Inf": "inf",
    "Infinity": "inf",
    "ModuleDeprecationWarning": "exceptions.ModuleDeprecationWarning",
    "NAN": "nan",
    "NaN": "nan",
    "PINF": "inf",
    "TooHardError": "exceptions.TooHardError",
    "VisibleDeprecationWarning": "exceptions.VisibleDeprecationWarning",
    "alltrue": "all",
    "bool8": "bool_",
    "bytes0": "bytes_",
    "cfloat": "complex128",
    "clongfloat": "clongdouble",
    "complex_": "complex128",
    "cumproduct": "cumprod",
    "float_": "float64",
    "infty": "inf",
    "int0": "intp",
    "longcomplex": "clongdouble",
    "longfloat": "longdouble",
    "mat": "asmatrix",
    "object0": "object_",
    "product": "prod",
    "round_": "round",
    "singlecomplex": "complex64",
    "sometrue": "any",
    "str0": "str_",
    "string_": "bytes_",
    "uint0": "uintp",
    "unicode_": "str_",
    "void0": "void",
}

# Numbers that NumPy writes otherwise now.
NUMBERS = {"NINF": "(-{np}.inf)", "NZERO": "(-0.0)", "PZERO": "0.0"}

# Functions of one argument.
CALLS = {
    "alen": "len({np}.atleast_1d({value}))",
    "asscalar": "{np}.asarray({value}).item()",
    "msort": "{np}.sort({value}, axis=0)",
}

# What to do about names for which no other one means the same in all versions.
RECIPES = {
    "RankWarning": "Write np.exceptions.RankWarning, which NumPy has since 2.0.",
    "asfarray": "Write np.asarray(x, dtype=float).",
    "in1d": "Write np.isin(x.ravel(), y).",
    "loads": "Write pickle.loads.",
    "math": "Import Python's math.",
    "recfromcsv": "Write np.genfromtxt with delimiter=',' and names=True.",
    "recfromtxt": "Write np.genfromtxt.",
    "sys": "Import Python's sys.",
    "trapz": "Write np.trapezoid, which NumPy has since 2.0.",
    "warnings": "Import Python's warnings.",
}
_ELSEWHERE = "Use the package numpy-financial, which has it."
RECIPES |= dict.fromkeys(
    ("fv", "ipmt", "irr", "mirr", "nper", "npv", "pmt", "ppmt", "pv", "rate"),
    _ELSEWHERE,
)
RECIPE = (
    "Look for another function in "
    "https://numpy.org/doc/stable/numpy_2_0_migration_guide.html."
)

# The rest, which has neither.
OTHERS = frozenset(
    {
        *("ALLOW_THREADS", "BUFSIZE", "CLIP", "DataSource", "ERR_CALL", "ERR_DEFAULT"),
        *("ERR_IGNORE", "ERR_LOG", "ERR_PRINT", "ERR_RAISE", "ERR_WARN"),
        *("FLOATING_POINT_SUPPORT", "FPE_DIVIDEBYZERO", "FPE_INVALID", "FPE_OVERFLOW"),
        *("FPE_UNDERFLOW", "MAXDIMS", "MAY_SHARE_BOUNDS", "MAY_SHARE_EXACT", "MachAr"),
        *("RAISE", "SHIFT_DIVIDEBYZERO", "SHIFT_INVALID", "SHIFT_OVERFLOW"),
        *("SHIFT_UNDERFLOW", "Tester", "UFUNC_BUFSIZE_DEFAULT", "UFUNC_PYVALS_NAME"),
        *("WRAP", "add_docstring", "add_newdoc", "add_newdoc_ufunc", "byte_bounds"),
        *("cast", "compare_chararrays", "compat", "deprecate", "deprecate_with_doc"),
        *("disp", "fastCopyAndTranspose", "find_common_type", "format_parser"),
        *("get_array_wrap", "geterrobj", "int_asbuffer", "issctype", "issubclass_"),
        *("issubsctype", "lookfor", "mafromtxt", "maximum_sctype", "nbytes"),
        *("ndfromtxt", "numarray", "obj2sctype", "oldnumeric", "safe_eval"),
        *("sctype2char", "sctypeNA", "sctypes", "set_numeric_ops"),
        *("set_string_function", "seterrobj", "source", "tracemalloc_domain"),
        *("typeDict", "typeNA", "who"),
    }
)
# Arguments of functions, and what means the same now; "" for a place instead of a name.
ARGUMENTS = {
    **dict.fromkeys(
        (f"{nan}{name}" for nan in ("", "nan") for name in ("percentile", "quantile")),
        {"interpolation": "method"},
    ),
    "histogram2d": {"normed": "density"},
    "histogramdd": {"normed": "density"},
    "reshape": {"newshape": ""},
}
# Arguments that nothing replaces.
LOST_ARGUMENTS = {
    "corrcoef": {
        "bias": "Remove the argument. It had no effect.",
        "ddof": "Remove the argument. It had no effect.",
    },
    "histogram": {
        "normed": "Write density. The two differ if the bins have different widths."
    },
    "save": {"fix_imports": "Remove the argument. It is for files of Python 2."},
}
# Methods of arrays, and what to do.
METHODS = {"tostring": "tobytes"}
LOST_METHODS = {
    "itemset": "Write a[index] = value.",
    "newbyteorder": "Write a.view(a.dtype.newbyteorder(order)).",
    "ptp": "Write np.ptp(a).",
}
_OTHER_WORDS = {
    argument
    for lost in (ARGUMENTS, LOST_ARGUMENTS)
    for f in lost.values()
    for argument in f
}
NAMES = frozenset({*BUILTINS, *RENAMED, *NUMBERS, *CALLS, *RECIPES, *OTHERS})
# What a file that uses one of them has in its bytes.
MENTIONED = re.compile(
    rb"\bnumpy\b(?s:.*)\.(?:%s)\b" % "|".join(sorted(NAMES)).encode()
)
_ARGUMENT = re.compile(rb"\b(?:%s)\s*=" % "|".join(sorted(_OTHER_WORDS)).encode())
_METHOD = re.compile(rb"\.(?:%s)\(" % "|".join((*METHODS, *LOST_METHODS)).encode())
# An array of a display whose rows may have different lengths.
_NESTED = re.compile(rb"array\(\s*[\[(]")


# `data = np.array(data)`: see `migrate/rules/ragged_arrays.py`.
_OF_BATCHES = re.compile(rb"\b(\w+) = \w+\.(?:as|asany)?array\(\1\)")


def is_mentioned(data: bytes) -> bool:
    """Whether a file may have something that NumPy does not accept any more."""
    if _METHOD.search(data) or (b"numpy" in data and _OF_BATCHES.search(data)):
        return True
    return b"numpy" in data and any(
        pattern.search(data) for pattern in (MENTIONED, _ARGUMENT, _NESTED)
    )
