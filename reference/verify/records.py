"""Reads the record that a watched process has written."""

from __future__ import annotations

import dataclasses
import functools
import json
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from reference.compare import Array

Event = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Record:
    """One process's record.

    Attributes:
      directory: what `verify_inside.record` has written.
      output: the file of everything that the process printed, errors too.
      worker: whose steps.
    """

    directory: pathlib.Path
    output: pathlib.Path
    worker: int = 0

    def of_worker(self, worker: int) -> Record:
        """Another worker's: of its own process, or of a thread of this one."""
        if not worker:
            return self
        own = Record(
            self.directory.with_name(f"worker-{worker}"),
            self.output.with_name(f"worker-{worker}.log"),
            worker,
        )
        if own.of("step", "read"):
            return own
        return dataclasses.replace(self, worker=worker)

    @functools.cached_property
    def events(self) -> list[Event]:
        path = self.directory / "events.jsonl"
        if not path.exists():
            return []
        found = []
        for line in path.read_text().splitlines():
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:  # The process was killed in it.
                break
        own = ("step", "read", "metrics", "predictions")
        return [e for e in found if e["kind"] not in own or e["worker"] == self.worker]

    @functools.cached_property
    def _bytes(self) -> Any:
        path = self.directory / "arrays.bin"
        if not path.exists() or not path.stat().st_size:
            return np.zeros(0, np.uint8)
        return np.memmap(path, np.uint8, "r")

    def array(self, told: Event) -> Array | None:
        """The array of an event; None where only its digest was kept, or it is text."""
        if "at" not in told:
            return None
        dtype = np.dtype(told["dtype"])
        count = int(np.prod(told["shape"], dtype=np.int64))
        begin = told["at"]
        raw = self._bytes[begin : begin + count * dtype.itemsize]
        return np.frombuffer(raw.tobytes(), dtype).reshape(told["shape"])

    def of(self, *kinds: str) -> list[Event]:
        return [event for event in self.events if event["kind"] in kinds]

    @functools.cached_property
    def steps(self) -> list[Event]:
        return self.of("step")

    def without_sets(self) -> Record:
        """The record without steps that only give variables values, numbered anew."""
        found, left, number = [], 0, {0: 0}
        for event in self.events:
            if event["kind"] == "step":
                if event.get("sets"):
                    left += 1
                number[event["step"] + 1] = event["step"] + 1 - left
                if event.get("sets"):
                    continue
            if "step" in event:
                event = {**event, "step": number.get(event["step"], event["step"])}
            found.append(event)
        record = dataclasses.replace(self)
        record.__dict__["events"] = found
        return record

    def with_graphs(self, graphs: Mapping[int, int]) -> Record:
        """The record with other numbers of the graphs that its steps are of."""
        found = [
            {**event, "graph": graphs.get(event.get("graph", 0), 0)}
            if event["kind"] == "step"
            else event
            for event in self.events
        ]
        record = dataclasses.replace(self)
        record.__dict__["events"] = found
        return record

    @property
    def end(self) -> Event | None:
        ends = self.of("end")
        return ends[-1] if ends else None

    def printed(self, worker: int = 0) -> list[tuple[int, str]]:
        """Lists the lines that a worker printed: (steps made before, line)."""
        found = []
        own = self.directory.with_name(f"worker-{worker}")
        for directory in dict.fromkeys((self.directory, own)):
            path = directory / "printed.jsonl"
            lines = path.read_text().splitlines() if path.exists() else []
            for text in lines:
                try:
                    told = json.loads(text)
                except json.JSONDecodeError:  # The process was killed in it.
                    break
                if told["worker"] == worker:
                    found.append((told["step"], told["text"]))
        return found

    def variables(self) -> dict[str, Event]:
        """Returns the variables' facts by name, from the last graph of each."""
        found: dict[str, Event] = {}
        for event in self.of("variables"):
            found.update(event["variables"])
        return found

    def last_lines(self, count: int = 15) -> str:
        """The end of all that the process printed."""
        if not self.output.exists():
            return ""
        lines = self.output.read_text(errors="replace").splitlines()
        return "\n".join(lines[-count:])
