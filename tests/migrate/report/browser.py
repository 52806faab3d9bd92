"""A real browser: Chromium, or the same engine in Qt's package PySide6-WebEngine."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

# What a page's script makes the title of takes a moment longer than the page.
_QT = """\
import os, sys
from PySide6.QtCore import QTimer, QUrl
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication

application = QApplication(sys.argv[:1])
view = QWebEngineView()
view.resize(1400, 1000)
view.titleChanged.connect(lambda title: print("<title>" + title, flush=True))
view.loadFinished.connect(lambda _: QTimer.singleShot(3000, application.quit))
view.load(QUrl(sys.argv[1]))
view.show()
application.exec()
# Without the tidying of Qt, which may wait for ever.
os._exit(0)
"""


def find_browser() -> str:
    """The name of what can show a page here, or an empty string."""
    if shutil.which("chromium"):
        return "chromium"
    if importlib.util.find_spec("PySide6") and importlib.util.find_spec(
        "PySide6.QtWebEngineWidgets"
    ):
        return "PySide6"
    return ""


def read_title(page: pathlib.Path, data: pathlib.Path) -> str:
    """The last title of a page, after its scripts have run."""
    flags = ["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    environment = dict(os.environ)
    if find_browser() == "chromium":
        command = [
            *("chromium", "--headless", *flags, "--window-size=1400,1000"),
            *(f"--user-data-dir={data}", "--virtual-time-budget=5000"),
            *("--dump-dom", page.as_uri()),
        ]
    else:
        command = [sys.executable, "-c", _QT, page.as_uri()]
        environment |= {
            "QT_QPA_PLATFORM": "offscreen",
            "QT_QUICK_BACKEND": "software",
            "QTWEBENGINE_CHROMIUM_FLAGS": " ".join(flags),
        }
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env=environment,
    )
    titles = re.findall(r"<title>([^<\n]*)", done.stdout)
    assert titles, (done.stdout + done.stderr)[-500:]
    return str(titles[-1])
