"""`python -m reference.pages.screenshots SITE`: pictures of what a browser shows.

It writes docs/pictures/home.png, rule.png, report.png and report-file.png. SITE is what `mkdocs build` made.
It needs the packages `PySide6-Essentials` and `PySide6-WebEngine`, and Pillow.
"""

from __future__ import annotations

import os
import pathlib
import sys
import tempfile

from PIL import Image

from reference.pages.screens import enter_project, run_tool
from reference.scenario import HERE

_PICTURES = HERE.parent / "docs" / "pictures"
_WIDTH, _HEIGHT = 1280, 860
_COLOURS = 128
_WAIT = 1500  # Milliseconds until a page is drawn.


def write_report(directory: pathlib.Path) -> pathlib.Path:
    """The report of the small project, as the tool writes it."""
    path = directory / "report.html"
    with enter_project() as project:
        run_tool(project, "check", ".", "--report", str(path))
    return path


def take_pictures(pages: dict[str, str], directory: pathlib.Path) -> None:
    """A picture of each page, by name."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["QT_QUICK_BACKEND"] = "software"
    os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = (
        "--no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files"
    )
    from PySide6.QtCore import QTimer, QUrl
    from PySide6.QtWebEngineCore import QWebEngineSettings
    from PySide6.QtWebEngineWidgets import QWebEngineView
    from PySide6.QtWidgets import QApplication

    application = QApplication([])
    view = QWebEngineView()
    view.resize(_WIDTH, _HEIGHT)
    bars = QWebEngineSettings.WebAttribute.ShowScrollBars
    view.settings().setAttribute(bars, False)
    waiting = list(pages.items())

    def load() -> None:
        if waiting:
            view.load(QUrl(waiting[0][1]))
        else:
            application.quit()

    def save() -> None:
        view.grab().save(str(directory / f"{waiting.pop(0)[0]}.png"))
        load()

    view.loadFinished.connect(lambda _: QTimer.singleShot(_WAIT, save))
    view.show()
    QTimer.singleShot(0, load)
    application.exec()


def main(site: pathlib.Path) -> None:
    """Writes the pictures, each with few colours and so small."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        pages = {
            "home": (site / "index.html").as_uri(),
            "rule": (site / "rules" / "S108" / "index.html").as_uri(),
            "report": (report := write_report(directory).as_uri()),
            "report-file": f"{report}?file#file-3",  # trace.py: a link unfolds it.
        }
        take_pictures(pages, directory)
        for picture in pages:
            taken = Image.open(directory / f"{picture}.png").convert("RGB")
            small = taken.quantize(_COLOURS, dither=Image.Dither.NONE)
            small.save(_PICTURES / f"{picture}.png", optimize=True)
    # Without the tidying of Qt, which may wait for ever.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
