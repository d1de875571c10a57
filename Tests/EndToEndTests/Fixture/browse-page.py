"""Uses the page of docfs browse in Chromium: browse-page.py ADDRESS DOCUMENTS PICTURES. Ends with 0 if all is as it should be."""

import base64
import json
import os
import re
import subprocess
import sys
import time
import urllib.request

ADDRESS, DOCUMENTS, PICTURES = sys.argv[1:]
PATIENCE = 120


class Browser:
    """Chromium, by the WebDriver protocol (W3C)."""

    def __init__(self, scheme, language="en"):
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
        session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": options}})
        self.base += f"/session/{session['sessionId']}"

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

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
        with open(os.path.join(PICTURES, name), "wb") as file:
            file.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def complaints(self):
        return self.ask("POST", "/se/log", {"type": "browser"})

    def end(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    # The page

    def rows(self):
        return self.run(
            "return [...document.querySelectorAll('#rows .row')].map((row) =>"
            " [...row.children].map((cell) => cell.textContent.trim()))")

    def names(self):
        return [row[1].lstrip("▾▸").strip() for row in self.rows() if len(row) > 2]

    def click(self, selector, text=None):
        clicked = self.run(
            "const found = [...document.querySelectorAll(arguments[0])].find((one) =>"
            " arguments[1] === null || one.textContent.trim().replace(/^[▾▸]/, '') === arguments[1]);"
            " if (!found) return false; found.click(); return true;", selector, text)
        assert clicked, f"there is no {selector} {text}"


def until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, f"not: {what}"
        time.sleep(0.05)


def document(name):
    return os.path.join(DOCUMENTS, name)


def use(browser):
    browser.open(ADDRESS)
    until(lambda: "Plan" in browser.names(), "the documents are listed")
    assert "key=" not in browser.run("return location.href"), "the key stays in the address"
    names = browser.names()
    assert names[0] == "On this computer" and "In the cloud" in names, names
    assert names.index("Work") < names.index("Plan") < names.index("In the cloud") < names.index("Film"), names
    film = next(row for row in browser.rows() if row[1] == "Film")
    assert film[5] == "In the cloud only", film

    # What a shell does shows by itself, and a folder opens.
    with open(document("local/List.txt"), "w") as file:
        file.write("list")
    until(lambda: "List" in browser.names(), "a new document is shown")
    browser.run("document.querySelector('.row.folder .twist').click()")
    until(lambda: "Inner" in browser.names(), "a folder opens")

    # A new name, by the keyboard.
    browser.click("#rows .row .name", "Plan")
    until(lambda: browser.run("return !document.querySelector('#details').hidden"), "the details are shown")
    browser.run("const name = document.querySelector('#details input'); name.focus(); name.value = 'Great plan';")
    browser.press("\ue007")
    until(lambda: os.path.exists(document("local/Great plan.txt")), "the new name is a file's")
    until(lambda: "Great plan" in browser.names(), "the new name is shown")

    # Deleting asks once more. Undo brings it back.
    browser.run("document.querySelector('#table').focus()")
    browser.click("#rows .row .name", "Great plan")
    browser.click("#details button", "Delete")
    assert os.path.exists(document("local/Great plan.txt"))
    browser.click("#details button", "Delete, really?")
    until(lambda: "Great plan" not in browser.names(), "it has gone")
    assert not os.path.exists(document("local/Great plan.txt"))
    until(lambda: browser.run("return document.querySelector('#undo').textContent") == "Undo: Delete “Great plan”",
          "the action is named")
    browser.run("document.querySelector('#table').focus()")
    browser.press("z", "\ue009")
    until(lambda: "Great plan" in browser.names(), "undo brings it back")
    assert os.path.exists(document("local/Great plan.txt"))

    # What is in the cloud only is downloaded when it is asked for.
    browser.click("#rows .row .name", "Film")
    browser.click("#details button", "Download here")
    until(lambda: any(row[1] == "Film" and row[5] == "Here" for row in browser.rows()), "it is here")

    # A name is shown as text, whatever is in it.
    with open(document("local/<img src=x onerror=alert(1)>.txt"), "w") as file:
        file.write("attack")
    until(lambda: "<img src=x onerror=alert(1)>" in browser.names(), "a name with marks is shown")
    assert browser.run("return document.querySelectorAll('#rows img').length") == 0

    complaints = [one for one in browser.complaints() if one["level"] == "SEVERE"]
    assert not complaints, complaints


def scroll(browser):
    """Only what is visible is in the page, and what is at the top stays there."""
    folder = document("local/Many")
    os.mkdir(folder)
    for number in range(600):
        open(os.path.join(folder, f"Note {number:03}.txt"), "w").close()
    until(lambda: "Many" in browser.names(), "the folder is shown")
    browser.run("[...document.querySelectorAll('.row.folder')].find((row) => row.textContent.includes('Many'))"
                ".querySelector('.twist').click()")
    count = "return Number(document.querySelector('#table').getAttribute('aria-rowcount'))"
    until(lambda: browser.run(count) > 600, "all rows count")
    browser.run("document.querySelector('#table').scrollTop = 300 * 30")
    until(lambda: any(name.startswith("Note 3") for name in browser.names()), "the rows in the midst are shown")
    assert len(browser.rows()) < 80
    top = "const t = document.querySelector('#table'); return [...document.querySelectorAll('#rows .row .name')]" \
          ".find((one) => one.getBoundingClientRect().top >= t.getBoundingClientRect().top)?.textContent"
    before = until(lambda: browser.run(top), "a row is at the top")
    number = browser.run(count)
    for name in ("Note 001.txt", "Note 002.txt"):
        os.remove(os.path.join(folder, name))
    until(lambda: browser.run(count) == number - 2, "the rows have gone")
    until(lambda: browser.run(top) == before, "what is at the top stays there")


def pictures(browser, scheme):
    for width in (500, 800, 1280):
        browser.picture(f"{scheme}-{width}.png", width)


browser = Browser("light")
try:
    use(browser)
    pictures(browser, "light")
    scroll(browser)
finally:
    browser.end()
browser = Browser("dark", "de")
try:
    browser.open(ADDRESS)
    until(lambda: "Auf diesem Computer" in browser.names(), "a German browser reads German")
    pictures(browser, "dark")
finally:
    browser.end()
