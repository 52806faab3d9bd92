"""Codes of earlier versions that are another code now.

Users could not tell them apart. They are still understood in options and comments.
"""

from __future__ import annotations

# Old code -> new code.
MERGED: dict[str, str] = {
    "C103": "C101",
    "C104": "C101",
    "C105": "C101",
    "C120": "N150",
    "C121": "N150",
    "H101": "N151",
    "H104": "H103",
    "I102": "I101",
    "L105": "L104",
    "L120": "N150",
    "M121": "N150",
    "N108": "N151",
    "N109": "N104",
    "O121": "N150",
    "O122": "N150",
    "P101": "N151",
    "S113": "N151",
    "S121": "N150",
    "V102": "N151",
    "V120": "N150",
    "V122": "N150",
    "V125": "N150",
}
