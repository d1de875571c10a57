"""Chromium, as a test uses it."""

import base64
import glob
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request

PATIENCE = 120
CHECKOUT = os.path.dirname(os.path.abspath(__file__)) + "/../../.."
AXE = CHECKOUT + "/.build/python/lib/python3*/site-packages/axe_core_python/axe.min.js"


class Browser:
    """Chromium, by the WebDriver protocol (W3C)."""

    def __init__(self, pictures, scheme="light", language="en"):
        self.pictures = pictures
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                break
        self.base = f"http://127.0.0.1:{found[1]}"
        arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--lang={language}",
            f"--accept-lang={language}", f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}",
        ]
        options = {"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}
        try:
            session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": options}})
        except Exception:
            self.driver.kill()
            raise
        self.base += f"/session/{session['sessionId']}"

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, key, *held):
        actions = [{"type": "keyDown", "value": one} for one in (*held, key)]
        actions += [{"type": "keyUp", "value": one} for one in (key, *reversed(held))]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def picture(self, name, width):
        self.ask("POST", "/window/rect", {"width": width, "height": 700})
        with open(os.path.join(self.pictures, name), "wb") as file:
            file.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def complaints(self):
        return self.ask("POST", "/se/log", {"type": "browser"})

    def end(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def barriers(self):
        """What keeps people with a screen reader, weak eyes or a keyboard from the page as it is now, as axe-core finds it."""
        with open(glob.glob(AXE)[0]) as file:
            self.run(file.read())
        found = self.run("return axe.run(document, { resultTypes: ['violations'] })")
        return [(one["id"], node["html"][:200], node.get("failureSummary")) for one in found["violations"] for node in one["nodes"]]

    # The page

    def rows(self):
        return self.run(
            "return [...document.querySelectorAll('#rows .row')].map((row) =>"
            " [...row.children].map((cell) => cell.textContent.trim()))")

    def names(self):
        return self.run(
            "return [...document.querySelectorAll('#rows .row')].filter((row) => row.children.length > 2)"
            ".map((row) => row.children[1].lastChild.textContent)")

    def click(self, selector, text=None):
        clicked = self.run(
            "const found = [...document.querySelectorAll(arguments[0])].find((one) =>"
            " arguments[1] === null || one.textContent.trim().replace(/^[▾▸]/, '') === arguments[1]);"
            " if (!found) return false; found.click(); return true;", selector, text)
        assert clicked, f"there is no {selector} {text}"

    def tap(self, selector, text):
        """A click as a hand does it: the pointer is pressed, and let go where it is."""
        place = self.run(
            "const found = [...document.querySelectorAll(arguments[0])].find((one) => one.textContent.trim() === arguments[1]);"
            " if (!found) return null; const { left, top, height } = found.getBoundingClientRect();"
            " return [left + 30, top + height / 2].map(Math.round);", selector, text)
        assert place, f"there is no {selector} {text}"
        moves = [{"type": "pointerMove", "x": place[0], "y": place[1]}, {"type": "pointerDown", "button": 0},
                 {"type": "pointerUp", "button": 0}]
        self.ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "pointer", "actions": moves}]})


def until(condition, what):
    """Waits for the condition. `what` is said, or called and said, if it never comes. A question that is held up counts as a second."""
    pause, counted = 0.05, 0
    while True:
        asked = time.monotonic()
        found = condition()
        if found:
            return found
        counted += min(time.monotonic() - asked, 1) + pause
        assert counted < PATIENCE, f"not: {what() if callable(what) else what}"
        time.sleep(pause)
