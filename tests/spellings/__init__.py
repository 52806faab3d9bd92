"""One idiom of TensorFlow 1, written as different people write it: each way is a spelling.

programs/IDIOM/SPELLING.py   a program of one process; modules beside it are those it imports
matrix.py                    migrates the spellings, runs them, and compares
page.py                      writes docs/spellings.md
recorded.tsv                 the outcome of each spelling

`python -m tests.spellings PYTHON` runs all spellings again, with the Python of TensorFlow
1.15.5, and writes recorded.tsv and the page.
"""
