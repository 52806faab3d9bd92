"""Records the executed lines of the program, which show how its tests came out."""

import sys


class Lines:
    """Watches this thread's frames of the program's files."""

    def __init__(self, roots, own):
        self._roots, self._own = tuple(roots), tuple(own)
        self.found = {}
        self._wanted = {}
        self._events = 0

    def start(self):
        sys.settrace(self._call)

    def stop(self):
        sys.settrace(None)

    def _call(self, frame, event, argument):
        name = frame.f_code.co_filename
        seen = self._wanted.get(name)
        if seen is None:
            own = name.startswith(self._roots) and not name.startswith(self._own)
            seen = self._wanted[name] = (
                self.found.setdefault(name, set()) if own else False
            )
        if seen is False:
            return None
        seen.add(frame.f_lineno)

        def line(frame, event, argument):
            seen.add(frame.f_lineno)
            return line

        return line

    def ranges(self, name):
        """The executed lines as `[first, last]` pairs."""
        found = []
        for line in sorted(self.found.get(name, ())):
            if found and line == found[-1][1] + 1:
                found[-1][1] = line
            else:
                found.append([line, line])
        return found
