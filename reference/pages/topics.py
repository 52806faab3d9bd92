"""Groups codes by topics: a code's page names the other codes of its topics.

A code may be in several topics. Every code is in one with at least one other.
"""

from __future__ import annotations

# Topic -> its codes.
TOPICS: dict[str, str] = {
    "the server of a cluster": "C101 C110 C118 S185 N150 D144",
    "the shape of a cluster": "S117 C101 C131 C130 D101 D121 D146 D159",
    "state of a worker": "C106 C107 C109 C119 D147 D169",
    "placement": "C111 C115 C130 C131",
    "queues that tasks share": "C140 C110",
    "who trains": "D111 D112 N134 D144",
    "losses of replicas": "D104 D106 D125 D132 D141 D142 D154",
    "older names of strategies": "D108 D110 D140",
    "logits": "D102 D104",
    "eager code in a session": "D113 D121 D125 D132 D134",
    "metrics of eager code": "D125 D158 D132 D152",
    "Keras on a cluster": "D156 D153 D154 E101 D137 D166",
    "Keras in a graph": "D156 D158 K166",
    "shuffled data": "D135 D143 I112",
    "reading and writing files": "E001 E002 E003 E006",
    "Python 2": "E004 E010 E011",
    "notebooks": "E003 E007 E008 G005 S130",
    "Estimators": "E101 E102 E105 E117 K101 K110 N101",
    "ready-made Estimators": "E101 E117",
    "TPUs": "E156 E117",
    "batch normalisation": "S117 L123 S138 D156",
    "input of Estimators": "I111 E114 S115 D169",
    "hooks of Estimators": "H122 H110 E101 K130 K131",
    "strategies of Estimators": "E130 E101 O111",
    "parts of an Estimator program": "E102 E105 N111 N120 S115",
    "checks of the result": "G009 G005 G006 G007",
    "hooks of sessions": "H102 H110 H122 N150 N151",
    "iterators": "I101 E105 I111",
    "queue input": "T107 I120 I131 I112",
    "Keras models of Estimators": "K101 L104 K105 K111 K180 K185 K190 K131",
    "Keras with other meanings": "K133 K166 T102",
    "graphs that are loaded": "K132 S185",
    "layers": "N151 V103 T102 L104 N105 T113",
    "layers of contrib": "L150 N123 T107",
    "summaries and metrics": "M110 M120 T107 N191",
    "left unchanged": "N100 N102 N150 T105 T150 T151 T152",
    "comments": "E012 N117",
    "several sessions": "N101 S120 N120",
    "where variables are made": "N104 N107 N111 N135 S105 N105",
    "steps that Python decides": "N103 N115 N116 O117",
    "collections": "N105 V104",
    "names": "N111 G006 N141 V104",
    "arguments": "N151 T102 T121",
    "Supervisors": "N120 S115",
    "towers": "N126 C131 N128 N123 S138",
    "recurrent networks": "V103 T107 K166",
    "moving averages": "T107 N191 O120",
    "optimizers": "O101 O110 N107 O117 O112 K133",
    "synchronous training": "O106 O111 D145 S185",
    "partitioners": "P102 P110",
    "opening a session": "S101 N101 S115 S117 S122",
    "values of a run": "D167 S109",
    "run calls": "N191 S120 S104 S108 S109 S112 S114 S136",
    "feeds": "S104 S105 S107 S111 S116 I111",
    "initial values": "S122 D112 N104",
    "the global step": "V104 N105 D147",
    "objects of a session": "S185 V111 V112",
    "symbols": "T101 T102 S117 T107 T111 T112 T117",
    "imports": "T111 T115 T117 T118",
    "variable scopes": "V104 V103 N105",
    "compared variables": "V127 V128",
}


def find_related(code: str) -> list[str]:
    """The other codes of a code's topics."""
    codes = [codes.split() for codes in TOPICS.values()]
    found = dict.fromkeys(c for topic in codes if code in topic for c in topic)
    return [c for c in found if c != code]
