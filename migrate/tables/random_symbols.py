"""Symbols of TF1 that compute another value each time."""

from __future__ import annotations

import re

from migrate.tables import roles

_DRAWS = re.compile(
    r"tf\.(random[._]|truncated_normal|multinomial|image\.(random_|sample_)|py_func|"
    r"py_function|numpy_function|distributions\.|nn\.(\w+\.)?\w*dropout|nn\.\w*sample\w*|"
    r"(contrib\.)?layers\.dropout|layers\.Dropout|contrib\.slim\.dropout|"
    r"keras\.layers\.\w*(Dropout|Noise)|keras\.backend\.(dropout|random_))"
)


def draws(symbol: str) -> bool:
    """Whether it draws a number when it is computed."""
    return _DRAWS.match(symbol) is not None and not roles.is_initializer(symbol)
