"""Symbols of TF1 that compute another value each time."""

from __future__ import annotations

import re
from collections.abc import Container

from migrate.tables import roles

_DRAWS = re.compile(
    r"tf\.(random[._]|truncated_normal|multinomial|image\.(random_|sample_)|py_func|"
    r"py_function|numpy_function|distributions\.|nn\.(\w+\.)?\w*dropout|nn\.\w*sample\w*|"
    r"(contrib\.)?layers\.dropout|layers\.Dropout|contrib\.slim\.dropout|"
    r"keras\.layers\.\w*(Dropout|Noise)|keras\.backend\.(dropout|random_))"
)
# What makes a variable whose first value is drawn, unless one of the arguments gives it.
_MAKES = re.compile(
    r"tf\.(get_variable|(keras\.)?layers\.(\w*[dD]ense|\w*[cC]onv\w*)|"
    r"contrib\.(slim|layers)\.(fully_connected|linear|relu6?|\w*conv\w*|embed_sequence)"
    r"|nn\.rnn_cell\.\w*Cell|contrib\.rnn\.\w*Cell)$"
)
_GIVEN = frozenset({"initializer", "kernel_initializer", "weights_initializer"})
# Initializers that draw nothing.
_CONSTANT = frozenset(
    {"zeros_initializer", "ones_initializer", "constant_initializer", "zeros", "ones"}
    | {"constant", "identity", "Zeros", "Ones", "Constant", "Identity"}
)


def makes_drawn(symbol: str, given: Container[str]) -> bool:
    """Whether a call makes a variable or an initializer that draws its first value.

    Args:
      given: the keywords of its arguments.
    """
    if _MAKES.match(symbol):
        return not any(name in given for name in _GIVEN)
    name = symbol.rpartition(".")[2]
    return roles.is_initializer(symbol) and name not in _CONSTANT


def draws(symbol: str) -> bool:
    """Whether it draws a number when it is computed."""
    return _DRAWS.match(symbol) is not None and not roles.is_initializer(symbol)
