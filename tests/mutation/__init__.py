"""Plants faults into the tables of the tool, and looks who notices.

calls.py      into rows of the table of calls: values tell (`python -m tests.mutation`)
parts.py      the parts of all other tables
planted.py    the tool with wrong tables, and with tables that note what is read
programs.py   programs whose outcome may tell a wrong table
cases.py      cases of tests, which are such programs too
facts.py      what tables must agree with: what was observed of Python and TensorFlow
host_calls.py what calls of Python's library and NumPy do
behaviour.py  what both TensorFlows do: observed in a process of each
outcomes.py   what the tool makes of a program
watching.py   what programs read, and what they tell
search.py     a program for each part
survey.py     what is recorded of this (`python -m tests.mutation.survey`):
              `killers.tsv`, `outcomes.tsv` and `survivors.txt`
"""
