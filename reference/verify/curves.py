"""Pictures of a verification: two curves of the loss, and their difference. SVG by hand."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from reference.verify.rows import Row

_WIDTH, _HEIGHT = 720, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 14, 30, 34
_OLD, _NEW, _ALLOWED = "#b4541a", "#1a6fb4", "#6b6b6b"


def loss_of(rows: Sequence[Row]) -> Row | None:
    """The scalar that is most likely the loss: by its name, else the first fetched."""
    scalars = [
        r for r in rows if r.floats and len(r.curve) > 1 and r.kind != "variable"
    ]
    for words in (("loss", "cost"), ("entropy", "error", "objective"), ("mean", "sum")):
        for row in scalars:
            if any(word in row.name.lower() for word in words):
                return row
    return scalars[0] if scalars else None


def curves(row: Row) -> str:
    """Both programs' values by step, in one picture."""
    points = [p for p in row.curve if math.isfinite(p[1]) and math.isfinite(p[2])]
    if not points:
        return ""
    values = [v for _, a, b in points for v in (a, b)]
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
    ticks = [
        (low + (high - low) * i / 4, f"{low + (high - low) * i / 4:.4g}")
        for i in range(5)
    ]
    plot = _Plot(points, low, high)
    title = f"{row.kind} {row.name}"
    legend = (("original", _OLD, ""), ("migrated", _NEW, "5 4"))
    return plot.svg(
        title,
        ticks,
        [
            (plot.line([(s, a) for s, a, _ in points]), _OLD, 3.2, ""),
            (plot.line([(s, b) for s, _, b in points]), _NEW, 1.6, "5 4"),
        ],
        legend,
    )


def differences(row: Row) -> str:
    """The absolute difference by step, on a logarithmic scale; 0 is at the bottom."""
    points = [(s, abs(a - b)) for s, a, b in row.curve if math.isfinite(a - b)]
    if not points:
        return ""
    shown = [d for _, d in points if d > 0]
    floor = math.floor(math.log10(min([*shown, 1e-9]))) - 1
    top = math.ceil(math.log10(max([*shown, row.allowed or 1e-6, 1e-6])))
    top = max(top, floor + 2)
    plot = _Plot([(s, d, d) for s, d in points], floor, top)

    def height(value: float) -> float:
        return math.log10(value) if value > 0 else floor

    ticks = [(e, "0" if e == floor else f"1e{e}") for e in range(floor, top + 1)]
    every = max(1, len(ticks) // 6)
    lines = [(plot.line([(s, height(d)) for s, d in points]), _NEW, 1.6, "")]
    legend = [("|original - migrated|", _NEW, "")]
    if row.allowed > 0:
        ends = [
            (points[0][0], height(row.allowed)),
            (points[-1][0], height(row.allowed)),
        ]
        lines.append((plot.line(ends), _ALLOWED, 1.2, "2 4"))
        legend.append(("allowed at the largest", _ALLOWED, "2 4"))
    return plot.svg(f"difference in {row.name}", ticks[::every], lines, legend)


class _Plot:
    def __init__(
        self, points: Sequence[tuple[float, float, float]], low: float, high: float
    ) -> None:
        self._first, self._last = points[0][0], points[-1][0]
        self._low, self._high = low, high

    def _x(self, step: float) -> float:
        span = (self._last - self._first) or 1
        return _LEFT + (step - self._first) / span * (_WIDTH - _LEFT - _RIGHT)

    def _y(self, value: float) -> float:
        part = (value - self._low) / (self._high - self._low)
        return _HEIGHT - _BOTTOM - part * (_HEIGHT - _TOP - _BOTTOM)

    def line(self, points: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{self._x(s):.1f},{self._y(v):.1f}" for s, v in points)

    def svg(
        self,
        title: str,
        ticks: Sequence[tuple[float, str]],
        lines: Sequence[tuple[str, str, float, str]],
        legend: Sequence[tuple[str, str, str]],
    ) -> str:
        parts = [
            f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
            f'aria-label="{html.escape(title, quote=True)}" '
            'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12">'
        ]
        for value, label in ticks:
            y = self._y(value)
            parts.append(
                f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
                'stroke="#8884" stroke-width="1"/>'
                f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" '
                f'fill="currentColor">{label}</text>'
            )
        for step in sorted({self._first, (self._first + self._last) // 2, self._last}):
            parts.append(
                f'<text x="{self._x(step):.1f}" y="{_HEIGHT - 12}" text-anchor="middle" '
                f'fill="currentColor">{step:g}</text>'
            )
        parts.append(
            f'<text x="{_LEFT}" y="16" fill="currentColor" font-weight="600">'
            f"{html.escape(title)}</text>"
        )
        for points, colour, width, dashes in lines:
            parts.append(
                f'<polyline points="{points}" fill="none" stroke="{colour}" '
                f'stroke-width="{width}" stroke-dasharray="{dashes}"/>'
            )
        x = float(_WIDTH - _RIGHT)
        for label, colour, dashes in reversed(legend):
            x -= 7.0 * len(label) + 34
            parts.append(
                f'<line x1="{x:.0f}" x2="{x + 22:.0f}" y1="12" y2="12" stroke="{colour}" '
                f'stroke-width="2.5" stroke-dasharray="{dashes}"/>'
                f'<text x="{x + 27:.0f}" y="16" fill="currentColor">{html.escape(label)}'
                "</text>"
            )
        return "\n".join([*parts, "</svg>"])
