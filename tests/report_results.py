"""What the tests of reports share: the data sets of a folder, other records, a browser."""

import json
from dataclasses import replace
from pathlib import Path

from aucbench.bench.evaluation.verdict import Measures, Status
from aucbench.registry.specs import Spec

DATASETS = ("breast-cancer", "digits-8", "digits-3")
SPLITS = 3


def with_cell(record, **changes):
    if "dataset" in changes:
        changes["dataset"] = Spec(changes["dataset"])
    return replace(record, cell=replace(record.cell, **changes))


def failed(record, status, reason, log=None):
    """The record of a cell that ended so, without an AUC."""
    return replace(
        record,
        status=Status(status=status, reason=reason),
        measures=Measures(),
        process=replace(record.process, log=log),
    )


class Browser:
    """What tests ask of a browser."""

    def __init__(self, driver):
        self.driver = driver
        self.run = driver.execute_script

    def resize(self, width, height=900):
        command = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", command)

    def emulate(self, scheme, media=""):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        command = {"media": media, "features": features}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", command)

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
        events = [json.loads(entry["message"])["message"] for entry in self.all_events()]
        sent = [event for event in events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def all_events(self):
        return self.driver.get_log("performance")

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
