"""Styles the HTML report: light or dark, wide or narrow, on paper.

The page has no script: a filter is a style that depends on the checked box.
"""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --back: #fff; --ink: #1b1f24; --soft: #5b636d;
  --line: #dfe3e8; --card: #f6f8fa; --link: #0b5cad; --ready: #1a7f37; --compat: #0b5cad;
  --blocked: #9a5b00; --failed: #b42318; --added: #e3f6e8; --removed: #fdebea;
  --note: #fff8e6; --fine: #eef5fd; }
@media (prefers-color-scheme: dark) { :root { --back: #14171a; --ink: #e4e7eb;
  --soft: #9ba4ae; --line: #2d333a; --card: #1b1f24; --link: #79b8ff; --ready: #5fd07a;
  --compat: #79b8ff; --blocked: #f0b35a; --failed: #ff8d80; --added: #12301c;
  --removed: #3b1c1c; --note: #2c2412; --fine: #172434; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 82rem; padding: 2rem 1.5rem 4rem;
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif;
  background: var(--back); color: var(--ink); }
h1 { font-size: 1.25rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.25rem .9rem .4rem; }
a { color: var(--link); } p { margin: .35rem 0; }
code, .code { font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.verdict { font-size: 1.6rem; line-height: 1.25; font-weight: 650; margin: .75rem 0 .5rem; }
.badge { display: inline-block; min-width: 5.2rem; padding: .05rem .55rem; text-align: center;
  border: 1px solid currentColor; border-radius: 1rem; font-size: .85rem; font-weight: 600;
  white-space: nowrap; justify-self: start; }
.ready .badge, .badge.ready { color: var(--ready); }
.compat .badge, .badge.compat { color: var(--compat); }
.refused .badge, .badge.refused { color: var(--blocked); }
.failed .badge, .badge.failed { color: var(--failed); }
.filters { display: flex; flex-wrap: wrap; gap: .4rem; margin: .75rem 0; }
.filters label { padding: .2rem .75rem; border: 1px solid var(--line); border-radius: 1rem;
  cursor: pointer; user-select: none; }
.filters input { position: absolute; opacity: 0; }
.filters label:has(:checked) { background: var(--ink); color: var(--back);
  border-color: var(--ink); }
.filters select { font: inherit; color: inherit; background: var(--back); max-width: 100%;
  padding: .2rem .5rem; border: 1px solid var(--line); border-radius: 1rem; }
.filters label:has(:focus-visible) { outline: 2px solid var(--link); outline-offset: 2px; }
body:has(#only-ready:checked) .entry:not(.ready),
body:has(#only-compat:checked) .entry:not(.compat),
body:has(#only-blocked:checked) .entry:not(.refused, .failed),
body:has(#only-refusals:checked) .note:is(.rewritten, .kept) { display: none; }
.entry { border: 1px solid var(--line); border-radius: .5rem; margin: .45rem 0; }
div.entry { display: grid; grid-template-columns: 6.5rem minmax(12rem, 26rem) minmax(0, 1fr);
  gap: .15rem 1rem; padding: .55rem .9rem; align-items: baseline; }
div.entry > * { min-width: 0; overflow-wrap: anywhere; }
div.entry .why { grid-column: 2 / -1; color: var(--soft); }
.recipe { white-space: pre-wrap; } div.entry .recipe { color: inherit; }
.recipe::before { content: "→ "; }
details:has(> :target) { outline: 2px solid var(--link); }
.anchor { display: block; scroll-margin-top: 3.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; } td.n, th.n { text-align: right; }
summary { cursor: pointer; padding: .55rem .9rem; }
summary .badge { min-width: 6.6rem; } summary .soft { margin-left: .6rem; }
.diff { border-top: 1px solid var(--line); }
.hunk { padding: .15rem .9rem; background: var(--card); color: var(--soft); }
.run { display: grid; grid-template-columns: 3.2rem minmax(0, 1fr) 3.2rem minmax(0, 1fr); }
.run.one { grid-template-columns: 3.2rem minmax(0, 1fr); }
.run > i { font-style: normal; color: var(--soft); text-align: right; padding-right: .6rem;
  user-select: none; }
.run > span { white-space: pre-wrap; tab-size: 4; overflow-wrap: anywhere;
  padding-right: .5rem; min-height: 1.5em; }
.run > .r { background: var(--removed); } .run > .a { background: var(--added); }
.run > .note { grid-column: 1 / -1; }
.note { min-width: 0; overflow-wrap: anywhere; margin: .2rem .9rem .35rem 3.2rem; padding: .35rem .75rem; border-radius: .35rem;
  background: var(--note); border-left: 3px solid var(--blocked);
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
.note.failed { border-color: var(--failed); }
.note.rewritten, .note.kept { background: var(--fine); border-color: var(--compat); }
.note .recipe { font-weight: 500; }
.example { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin: .4rem 0; }
.example > div { min-width: 0; }
.example pre { margin: 0; padding: .5rem .75rem; overflow-x: auto; background: var(--back);
  border: 1px solid var(--line); border-radius: .35rem; }
.note details { margin-top: .25rem; } .note summary { padding: 0; color: var(--soft); }
.rule { border-top: 1px solid var(--line); }
.rule > summary { padding: .6rem 0; } .rule > :last-child { margin-bottom: .9rem; }
pre { font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
@media (max-width: 46rem) {
  body { padding: 1.25rem .75rem 3rem; } .verdict { font-size: 1.3rem; }
  th, td { padding: .35rem .3rem; }
  div.entry { grid-template-columns: minmax(0, 1fr); } div.entry .why { grid-column: 1; }
  .example { grid-template-columns: minmax(0, 1fr); }
  .run, .run.one { grid-template-columns: 2.2rem minmax(0, 1fr); font-size: 11.5px; }
  .run > .n { order: 1; } .run.same > .n, .run > .none { display: none; }
  .note { margin-left: 2.4rem; }
}
@page { margin: 14mm 12mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }
  .filters { display: none; } h2 { break-after: avoid; } .run { font-size: 8pt; }
  div.entry { grid-template-columns: 6.5rem minmax(8rem, 14rem) minmax(0, 1fr); }
  .entry, .note { break-inside: avoid; } details.entry { break-inside: auto; }
  details::details-content { content-visibility: visible; height: auto; }
  a { color: inherit; text-decoration: none; }
}
"""
