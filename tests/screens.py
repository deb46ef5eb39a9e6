"""A page at the widths and in the modes in which people look at it.

With AUCBENCH_SCREENSHOTS=FOLDER the pictures of the documentation are written there.
"""

import os
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.image import imread

SCREENSHOTS = os.environ.get("AUCBENCH_SCREENSHOTS")
SCREENS = [(width, scheme) for width in (1300, 400) for scheme in ("light", "dark")]
BEYOND = (
    "return [...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll, pre') &&"
    "e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"
)


def look(browser, address, width, scheme, name=None):
    """Open a page, and assert that it fits, can be read and asks for nothing."""
    browser.resize(width)
    browser.emulate(scheme)
    browser.open(address)
    assert browser.run("return innerWidth") == width
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run(BEYOND) == []
    ink, paper = (
        browser.run(f"return getComputedStyle(document.body).{part}")
        for part in ("color", "backgroundColor")
    )
    assert contrast(ink, paper) > 7
    assert (luminance(paper) < 0.05) == (scheme == "dark")
    lines = browser.run(
        "return [...document.querySelectorAll('.plot .line')].map(e => getComputedStyle(e).stroke)"
    )
    assert min(contrast(line, paper) for line in lines) > 3
    assert browser.console() == []
    assert browser.requests() == [address]
    assert imread(BytesIO(browser.png())).shape[1] == width
    if SCREENSHOTS and name:
        browser.png(Path(SCREENSHOTS) / f"{name}-{width}-{scheme}.png")


def luminance(colour):
    """Relative luminance of "rgb(r, g, b)", by the rules for accessible pages (WCAG 2)."""
    rgb = np.array([float(x) for x in colour[4:-1].split(",")]) / 255
    linear = np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(a, b):
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)
