"""Codes G1xx: results that were not written."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "G001",
        "does not compile",
        "A gate: the result would not compile. So it is where the file itself does not: "
        "`await` outside of a function, which notebooks may have. Else please report it.",
        promise="The file is left as it is.",
    ),
    Code(
        "G002",
        "unbound name",
        "A gate: the result would use a name that nothing binds. Please report it.",
        promise="The file is left as it is.",
    ),
    Code(
        "G003",
        "missing symbol",
        "A gate: the result would use a TensorFlow name that does not exist.",
        promise="The file is left as it is.",
    ),
    Code(
        "G004",
        "not stable",
        "A gate: migrating the result again would change it. Please report it.",
        promise="The file is left as it is.",
    ),
    Code(
        "G005",
        "cells joined",
        "A notebook's program spans cells in a way that cannot be cut into cells again: a "
        "magic would move, or a cell could not be run by itself. "
        "Put the program into one cell.",
        promise="The notebook is left as it is.",
    ),
    Code(
        "G006",
        "name taken",
        "A module of yours, beside the program, has the name of one that the result "
        "imports. Rename yours.",
        promise="Neither file is touched.",
    ),
    Code(
        "G007",
        "effect otherwise",
        "A gate: what the program does besides computing (printing, files, random draws, "
        "code that the tool cannot see) would be done otherwise in the result: not at "
        "all, twice, under other conditions, or in another order with something that "
        "could see it. The gate compares the two texts and knows nothing of the rules.",
        promise="The program is left as it is.",
        refused_when="Move the statement that is named to where nothing that is moved "
        "stands between: before the cluster, or after the session.",
    ),
    Code(
        "G009",
        "internal error",
        "The tool failed on this file. Please report it.",
        promise="The file is left as it is; all others are done.",
    ),
)
