"""`python -m tests.mutation`: see `calls.py`."""

import sys

from tests.mutation.calls import main

sys.exit(main(sys.argv[1:]))
