"""A browser, spoken to by the WebDriver protocol: Debian's chromium and chromedriver, nothing else."""

import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server",
         "--hide-scrollbars", "--force-color-profile=srgb", "--disable-dev-shm-usage"]
KEYS = {"left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010", "enter": "\ue007"}


class BrowserError(Exception):
    """What the browser or its driver said."""


def missing():
    return [name for name in ("chromium", "chromedriver") if not shutil.which(name)]


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """A browser of its own, with an empty profile, closed at the end of a `with`."""

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="tabula-browser-")
        self.port = free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.session = None
        options = {"args": [*FLAGS, f"--user-data-dir={self.profile}"]}
        logs = {"browser": "ALL", "performance": "ALL"}
        for _ in range(150):
            try:
                self.ask("GET", "/status")
                break
            except OSError:
                time.sleep(0.1)
        made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": logs}}})
        self.session = made["sessionId"]
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self.ask("DELETE", f"/session/{self.session}")
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, way, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{way}", data, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise BrowserError(json.load(error)["value"]["message"]) from error

    def do(self, what, body=None, method="POST"):
        return self.ask(method, f"/session/{self.session}/{what}", body if body is not None or method == "GET" else {})

    def cdp(self, command, **parameters):
        return self.do("goog/cdp/execute", {"cmd": command, "params": parameters})

    def js(self, text, *arguments):
        return self.do("execute/sync", {"script": text, "args": list(arguments)})

    def open(self, address):
        """Opens an address and waits until its page says that it is there."""
        self.do("url", {"url": "about:blank"})
        self.do("url", {"url": address})
        self.wait("return document.body && document.body.dataset.ready !== undefined")

    def go(self, way):
        """To another page of the same address."""
        self.js("delete document.body.dataset.ready; if (location.hash === arguments[0]) tabula.route(); "
                "else location.hash = arguments[0];", way)
        self.wait("return document.body.dataset.ready !== undefined")

    def wait(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.js(condition):
                return
            time.sleep(0.05)
        text = self.js("return document.body.innerText")
        raise BrowserError(f"after {seconds} s still not: {condition}\nthe page says:\n{text[:2000]}")

    def keys(self, *names):
        for name in names:
            key = KEYS.get(name, name)
            self.do("actions", {"actions": [{"type": "key", "id": "keys", "actions": [
                {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def type(self, selector, text):
        element = list(self.do("element", {"using": "css selector", "value": selector}).values())[0]
        self.do(f"element/{element}/value", {"text": text})

    def text(self):
        return self.js("return document.body.innerText")

    def size(self, width, height, phone=False, dark=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if phone else 1,
                 mobile=phone)
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme",
                                                          "value": "dark" if dark else "light"}])

    def picture(self, path, whole=False):
        if whole:
            height = self.js("return document.documentElement.scrollHeight")
            width = self.js("return innerWidth")
            shot = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})["data"]
        else:
            shot = self.cdp("Page.captureScreenshot", format="png")["data"]
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot))

    def complaints(self):
        """What the console said in anger since the last question."""
        return [entry["message"] for entry in self.do("se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def requests(self):
        """Every address that was asked for since the last question."""
        said = [json.loads(entry["message"])["message"] for entry in self.do("se/log", {"type": "performance"})]
        return [message["params"]["request"]["url"] for message in said if message["method"] == "Network.requestWillBeSent"]
