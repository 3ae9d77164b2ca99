"""One way to start the browser for every test that needs a real page."""

import contextlib
import os
import shutil

import pytest


def require_chromium():
    """Return the path of this system's Chromium.

    Without one the tests are skipped, but where CI is set they fail: there
    a missing browser would hide every test that needs it.
    """
    chromium = shutil.which("chromium")
    if chromium is None:
        give_up = pytest.fail if os.environ.get("CI") else pytest.skip
        give_up("no chromium on the PATH")
    return chromium


@contextlib.contextmanager
def launch(**options):
    """Yield a headless Chromium of this system, closed afterwards."""
    chromium = require_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Containers run tests as root, where Chromium refuses its sandbox.
        started = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"], **options
        )
        yield started
        started.close()
