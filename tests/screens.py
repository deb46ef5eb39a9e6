"""A browser, and a page at the widths and in the modes in which people look at it.

With AUCBENCH_SCREENSHOTS=FOLDER the pictures of the documentation are written there.
"""

import json
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


class Browser:
    """What tests ask of a browser."""

    def __init__(self, driver):
        self.driver = driver
        self.run = driver.execute_script

    def resize(self, width, height=900):
        command = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", command)

    def emulate(self, scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, address):
        self.console(), self.requests()
        self.driver.get(address)
        # On a busy machine the driver comes back before the page has been read.
        self.wait("return document.readyState === 'complete'")

    def console(self):
        """Messages since the last call."""
        return self.driver.get_log("browser")

    def requests(self):
        """Addresses that were asked for since the last call."""
        entries = self.driver.get_log("performance")
        events = [json.loads(entry["message"])["message"] for entry in entries]
        sent = [event for event in events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def wait(self, script, seconds=20):
        """Wait until a script returns true."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, seconds).until(lambda driver: driver.execute_script(script))

    def texts(self, selector):
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.trim())",
            selector,
        )

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def press(self, selector, text=None):
        """Click on the first element, or on the first one with this text."""
        found = self.run(
            "const [selector, text] = arguments, all = [...document.querySelectorAll(selector)];"
            "const one = all.find(e => text === null || e.textContent.trim() === text);"
            "one?.click(); return Boolean(one)",
            selector,
            text,
        )
        assert found, f"nothing to press: {selector} {text}"

    def choose(self, selector, value):
        """Set the value of a form element, as a user who types or selects."""
        self.run(
            "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
            "e.dispatchEvent(new Event('input', {bubbles: true}))",
            selector,
            value,
        )

    def png(self, path: Path | None = None):
        content = self.driver.get_screenshot_as_png()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return content


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
