"""Uses the page of docfs browse in Chromium: browse-page.py ADDRESS DOCUMENTS PICTURES. Ends with 0 if all is as it should be."""

import os
import random
import shutil
import sys

from browser import Browser, until

ADDRESS, DOCUMENTS, PICTURES = sys.argv[1:4]


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

    # A new name in its place, by the keyboard. What comes and goes above it does not take it away, nor does scrolling.
    browser.click("#rows .row .name", "Plan")
    until(lambda: browser.run("return !document.querySelector('#details').hidden"), "the details are shown")
    browser.run("document.querySelector('#table').focus()")
    browser.press("\ue032")
    assert browser.run("return document.activeElement.value") == "Plan"
    assert browser.run("const [field, row] = [document.activeElement, document.activeElement.closest('.row')].map((one) =>"
                       " one.getBoundingClientRect()); return field.width > 80 && field.top >= row.top && field.bottom <= row.bottom")
    browser.press("X")
    browser.press("\ue00c")
    until(lambda: "Plan" in browser.names(), "Escape leaves the name")
    assert browser.run("return document.activeElement.id") == "table" and os.path.exists(document("local/Plan.txt"))
    # A click elsewhere leaves the name as well, and selects what it is on.
    browser.press("\ue032")
    browser.press("X")
    browser.tap("#rows .row .name", "List")
    until(lambda: browser.run("return document.querySelector('#details strong')?.textContent") == "List", "the other row is selected")
    assert "Plan" in browser.names() and browser.run("return document.querySelectorAll('#rows input').length") == 0
    browser.click("#rows .row .name", "Plan")
    until(lambda: browser.run("return document.querySelector('#details strong')?.textContent") == "Plan", "it is selected again")
    # What is refused can be mended.
    browser.press("\ue032")
    browser.press("/")
    browser.press("\ue007")
    until(lambda: browser.run("return document.querySelector('#message').textContent") != "", "a name with a slash is refused")
    assert browser.run("return document.activeElement.value") == "/"
    refused = [one["message"] for one in browser.complaints()]
    assert len(refused) == 1 and "409" in refused[0], refused
    browser.press("\ue00c")
    browser.click("#details button", "Rename")
    for letter in "Great plan":
        browser.press(letter)
        if letter == " ":
            os.mkdir(document("local/Above"))
            until(lambda: "Above" in browser.names(), "a folder is shown above it")
            os.rmdir(document("local/Above"))
            until(lambda: "Above" not in browser.names(), "it has gone")
    assert browser.run("return document.activeElement.value") == "Great plan"
    browser.picture("naming-800.png", 800)
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

    # A folder that is kept says so, and a name is in both languages.
    os.mkdir(document("cloud/Kept"))
    until(lambda: "Kept" in browser.names(), "the folder is shown")
    browser.click("#rows .row .name", "Kept")
    browser.click("#details button", "Keep here")
    until(lambda: any(row[1].endswith("Kept") and row[5] == "Kept" for row in browser.rows()), "the folder is kept")
    browser.click("#details button", "Keep no longer")
    until(lambda: any(row[1].endswith("Kept") and row[5] == "" for row in browser.rows()), "it is kept no longer")
    missing = browser.run(
        "return import('/texts.js').then(({ all: [first, second] }) => {"
        " const keys = (texts, path) => Object.entries(texts).flatMap(([key, value]) =>"
        " typeof value === 'object' ? keys(value, path + key + '.') : [path + key]);"
        " const [one, other] = [keys(first, ''), keys(second, '')];"
        " return one.filter((key) => !other.includes(key)).concat(other.filter((key) => !one.includes(key))); })")
    assert missing == [], missing

    # The name of an action is in both languages: each form that DocumentsTests/ActionNameTests has.
    actions = {
        "Create “Plan”": "„Plan“ anlegen",
        "Delete folder “Trip”": "Ordner „Trip“ löschen",
        "Delete folder “Trip” with 1 document": "Ordner „Trip“ mit 1 Dokument löschen",
        "Delete folder “Trip” with 12 documents": "Ordner „Trip“ mit 12 Dokumenten löschen",
        "Delete 3 documents and 1 folder and 2 links": "3 Dokumente und 1 Ordner und 2 Verknüpfungen löschen",
        "Delete link “Way”": "Verknüpfung „Way“ löschen",
        "Rename “Plan” to “Great plan”": "„Plan“ in „Great plan“ umbenennen",
        "Rename 2 documents": "2 Dokumente umbenennen",
        "Move “Plan” to “Trip”": "„Plan“ nach „Trip“ bewegen",
        "Move “Plan” to the cloud": "„Plan“ in die Cloud bewegen",
        "Move 3 documents out of the cloud": "3 Dokumente aus der Cloud bewegen",
        "Reorder “One “and” two”": "„One “and” two“ umordnen",
        "Choose a version of “Plan”": "Eine Version wählen: „Plan“",
        "Choose versions of 2 documents": "Versionen wählen: 2 Dokumente",
        "Restore a version of “Plan”": "Eine Fassung wiederherstellen: „Plan“",
        "Restore versions of 2 documents": "Fassungen wiederherstellen: 2 Dokumente",
        "Change the preferred location to cloud": "Bevorzugten Ort ändern: In der Cloud",
        "Something new": "Something new",
    }
    german = browser.run(
        "return import('/texts.js').then(({ all: [english, german] }) =>"
        " arguments[0].map((name) => english.action(name) === name ? german.action(name) : null))", list(actions))
    assert german == list(actions.values()), german

    # How fast something is sent, and how long it takes still.
    sending = browser.run(
        "return import('/status.js').then(({ statusText }) => {"
        " const now = performance.now;"
        " const at = (time, unsent) => {"
        "  performance.now = () => time;"
        "  return statusText({ connection: 'online', pending: '2', unsent: String(unsent) }, false); };"
        " try { return [at(0, 8 << 20), at(500, 7 << 20), at(2000, 4 << 20), at(4000, 0), at(90000, 6 << 20)]; }"
        " finally { performance.now = now; } })")
    online = "The cloud is reachable. 2 changes are still to be sent."
    assert sending == [
        f"{online} 8 MB to go.", f"{online} 7 MB to go.", f"{online} 4 MB to go, 2 MB a second, 2 s left.", online,
        f"{online} 6 MB to go."], sending
    damaged = browser.run("return import('/status.js').then(({ statusText }) => statusText({ connection: 'online', findings: '2' }, false))")
    assert damaged == "The cloud is reachable. docfs check found 2 faults; docfs check --repair mends what it can.", damaged
    assert "free on the disk." in browser.run("return document.querySelector('#status').textContent")

    # A name is shown as text, whatever is in it.
    with open(document("local/<img src=x onerror=alert(1)>.txt"), "w") as file:
        file.write("attack")
    until(lambda: "<img src=x onerror=alert(1)>" in browser.names(), "a name with marks is shown")
    assert browser.run("return document.querySelectorAll('#rows img').length") == 0

    complaints = [one for one in browser.complaints() if one["level"] == "SEVERE"]
    assert not complaints, complaints


def select(browser, *names):
    """A click, and one with Ctrl for each further row."""
    until(lambda: set(names) <= set(browser.names()), f"{names} are shown")
    for number, name in enumerate(names):
        found = browser.run(
            "const row = [...document.querySelectorAll('#rows .row')].find((row) => row.getAttribute('aria-level') &&"
            " row.children[1].lastChild.textContent === arguments[0]);"
            "if (!row) return false;"
            "row.dispatchEvent(new MouseEvent('click', { bubbles: true, ctrlKey: arguments[1] })); return true;",
            name, number > 0)
        assert found, f"there is no row {name}"


def drag(browser, name, target, part):
    """Drags the row to a part of another one: 0 is its upper edge, 1 its lower edge."""
    until(lambda: {name, target} <= set(browser.names()), f"{name} and {target} are shown")
    return browser.run(
        "const row = (name) => [...document.querySelectorAll('#rows .row')].find((row) =>"
        " row.children[1].lastChild.textContent === name);"
        "const [from, to] = [row(arguments[0]), row(arguments[1])];"
        "const dataTransfer = new DataTransfer();"
        "const { top, height } = to.getBoundingClientRect();"
        "const clientY = top + 1 + (height - 2) * arguments[2];"
        "const send = (line, kind) => line.dispatchEvent("
        " new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer, clientY }));"
        "send(from, 'dragstart'); send(to, 'dragover');"
        "const shown = [...to.classList].find((name) => name.startsWith('drop-'));"
        "send(to, 'drop'); send(from, 'dragend'); return shown;", name, target, part)


def undo_title(browser):
    return browser.run("return document.querySelector('#undo').textContent")


def listed(folder):
    """The display names in a folder, in its order."""
    while True:
        try:
            paths = [entry.path for entry in os.scandir(document(folder)) if entry.is_file()]
            return [os.getxattr(path, "user.displayName").decode() for path in paths]
        except FileNotFoundError:
            pass  # One went meanwhile.


def comes_to_rest(browser, folder, names, what):
    """The documents stand so in the folder, the server has heard of it, and the page shows it: what comes next meets no older rows."""
    served = ("return fetch('/rows?from=0&count=500').then((answer) => answer.json()).then(({ rows }) => rows.filter((row) =>"
              " row.kind === 'document' && row.id.slice(0, row.id.lastIndexOf('/')) === arguments[0]).map((row) => row.name))")
    until(lambda: listed(folder) == names and browser.run(served, folder) == names and is_as_served(browser),
          lambda: f"{what}: {listed(folder)}, {browser.run(served, folder)}")


def edit(browser):
    """Edit mode, several rows at once, and dragging."""
    for name in ("One", "Two", "Three"):
        with open(document(f"local/Work/{name}.txt"), "w") as file:
            file.write(name)
    until(lambda: "Three" in browser.names(), "the documents are listed")
    assert browser.run("return document.querySelectorAll('#rows input').length") == 0
    browser.click("#edit", "Edit")
    field = "[...document.querySelectorAll('#rows .new')].find((row) => row.dataset.row === arguments[0])"
    until(lambda: browser.run(f"return Boolean({field})", "local/Work/"), "there is a row for a new document")
    until(lambda: browser.run("return document.querySelector('#edit').textContent") == "Done", "it is the edit mode")

    # A new document, while others come and go around the name that is typed.
    browser.run(f"{field}.querySelector('input').focus()", "local/Work/")
    for letter in "New":
        browser.press(letter)
    with open(document("local/Work/Four.txt"), "w") as file:
        file.write("Four")
    until(lambda: "Four" in browser.names(), "another document is shown")
    assert browser.run("return document.activeElement.value") == "New"
    browser.press("\ue007")
    until(lambda: os.path.exists(document("local/Work/New.txt")), "the new document is there")
    until(lambda: "New" in listed("local/Work"), "it has the name")
    until(lambda: browser.run("return document.activeElement.value") == "", "the field is empty for the next one")
    browser.run("document.activeElement.blur()")

    # A delete control asks once more.
    until(lambda: "New" in browser.names(), "it is shown")
    control = ("[...document.querySelectorAll('#rows .row')].find((row) =>"
               " row.children[1].lastChild.textContent === arguments[0]).querySelector('.remove')")
    browser.run(f"{control}.click()", "New")
    assert browser.run(f"return {control}.textContent", "New") == "Delete"
    assert os.path.exists(document("local/Work/New.txt"))
    browser.run(f"{control}.click()", "New")
    until(lambda: not os.path.exists(document("local/Work/New.txt")), "the document is deleted")
    browser.run(f"{control}.click()", "Two")
    pictures(browser, "edit")
    browser.click("#edit", "Done")
    until(lambda: browser.run("return document.querySelectorAll('#rows input').length") == 0, "the edit mode has ended")

    # Several at once are one action.
    select(browser, "One", "Three")
    browser.click("#details button", "Move to the cloud")
    until(lambda: sorted(listed("cloud")) == ["Film", "One", "Three"], "two documents have moved to the cloud")
    until(lambda: undo_title(browser) == "Undo: Move 2 documents to the cloud", "that is one action")
    browser.click("#undo")
    comes_to_rest(browser, "cloud", ["Film"], "both are no longer in the cloud")
    comes_to_rest(browser, "local/Work", ["Inner", "One", "Two", "Three", "Four"], "both are back in their places")

    # What comes meanwhile does not take the row away that is dragged.
    browser.run("window.held = [...document.querySelectorAll('#rows .row')].find((row) =>"
                " row.children[1].lastChild.textContent === 'Three');"
                "held.dispatchEvent(new DragEvent('dragstart', { bubbles: true, dataTransfer: new DataTransfer() }))")
    with open(document("local/Work/Five.txt"), "w") as file:
        file.write("Five")
    until(lambda: "Five" in browser.names(), "another document is shown")
    assert browser.run("return document.contains(held)")
    os.remove(document("local/Work/Five.txt"))
    until(lambda: "Five" not in browser.names(), "it has gone")
    assert browser.run("return document.contains(held)")
    browser.run("held.dispatchEvent(new DragEvent('dragend', { bubbles: true }))")
    comes_to_rest(browser, "local/Work", ["Inner", "One", "Two", "Three", "Four"], "nothing has moved")

    # The same by the keyboard: beside another one, into a folder, and to the other section.
    alt, control = "\ue00a", "\ue009"
    select(browser, "Four")
    browser.run("document.querySelector('#table').focus()")
    browser.press("\ue013", alt)
    comes_to_rest(browser, "local/Work", ["Inner", "One", "Two", "Four", "Three"], "it has moved up")
    browser.press("\ue015", alt)
    comes_to_rest(browser, "local/Work", ["Inner", "One", "Two", "Three", "Four"], "it has moved down again")
    select(browser, "Four", "Film")
    browser.press("\ue013", alt)
    until(lambda: browser.run("return document.querySelector('#message').textContent").startswith("Only rows of one folder"),
          "rows of two folders are not moved")
    select(browser, "Four")
    browser.press("x", control)
    assert "press Ctrl-V" in browser.run("return document.querySelector('#message').textContent")
    assert len(browser.run("return [...document.querySelectorAll('.row.taken')].map((row) => row.dataset.row)")) == 1
    browser.click("#rows .row .name", "In the cloud")
    browser.press("v", control)
    comes_to_rest(browser, "cloud", ["Film", "Four"], "it is in the cloud")
    assert browser.run("return document.querySelectorAll('.row.taken').length") == 0
    select(browser, "Four")
    browser.press("x", control)
    browser.click("#rows .row .name", "Three")
    browser.press("v", control)
    comes_to_rest(browser, "local/Work", ["Inner", "One", "Two", "Three", "Four"], "it is back after the document")

    # Dragging puts one beside another, takes it into a folder, and is refused where a folder is sorted.
    assert drag(browser, "Four", "One", 0) == "drop-before"
    comes_to_rest(browser, "local/Work", ["Inner", "Four", "One", "Two", "Three"], "it stands before")
    drag(browser, "Inner", "Two", 1)
    comes_to_rest(browser, "local/Work", ["Four", "One", "Two", "Inner", "Three"], "it stands after")
    select(browser, "One", "Two")
    drag(browser, "One", "Three", 1)
    comes_to_rest(browser, "local/Work", ["Four", "Inner", "Three", "One", "Two"], "both stand after")
    browser.click("#undo")
    comes_to_rest(browser, "local/Work", ["Four", "One", "Two", "Inner", "Three"], "that was one action")
    drag(browser, "Four", "Film", 1)
    comes_to_rest(browser, "cloud", ["Film", "Four"], "it has moved to the cloud, after the film")
    comes_to_rest(browser, "local/Work", ["One", "Two", "Inner", "Three"], "it has left the folder")
    drag(browser, "Four", "Work", 0.5)
    until(lambda: sorted(listed("local/Work")) == ["Four", "Inner", "One", "Three", "Two"], "it is in the folder")
    comes_to_rest(browser, "local/Work", listed("local/Work"), "the page shows it there")
    os.setxattr(document("local/Work"), "user.document.sort", b"name")
    select(browser, "Two")
    drag(browser, "Two", "One", 0)
    until(lambda: "is sorted by name" in browser.run("return document.querySelector('#message').textContent"),
          "the refusal has its reason")
    os.setxattr(document("local/Work"), "user.document.sort", b"manual")

    # A folder is deleted with all that is in it, by the keyboard, and comes back as one.
    select(browser, "Work")
    browser.run("document.querySelector('#table').focus()")
    browser.press("\ue017")
    assert os.path.exists(document("local/Work"))
    browser.press("\ue017")
    until(lambda: not os.path.exists(document("local/Work")), "the folder is deleted")
    until(lambda: "Work" not in browser.names(), "its row has gone")
    browser.press("z", "\ue009")
    until(lambda: os.path.exists(document("local/Work/Two.txt")), "it is back")


def find(browser):
    """The filter box looks into all folders, and what it shows follows what changes."""
    for name in ("local/Work/Invoice March.txt", "cloud/Old INVOICE.txt", "local/Bill.txt"):
        with open(document(name), "w") as file:
            file.write("five!")

    def look_for(text):
        browser.run("const box = document.querySelector('#filter'); box.focus(); box.value = arguments[0];"
                    " box.dispatchEvent(new Event('input'))", text)

    def found():
        heads = ("On this computer", "In the cloud")
        return [name for name in browser.names() if name not in heads]

    look_for("invoice")
    until(lambda: found() == ["Invoice March", "Old INVOICE"], "both are found")
    row = next(row for row in browser.rows() if row[1].endswith("Invoice March"))
    assert row[1] == "Work/Invoice March", row
    with open(document("local/Work/Another invoice.txt"), "w") as file:
        file.write("six six")
    until(lambda: sorted(found()) == ["Another invoice", "Invoice March", "Old INVOICE"], "a new one is found")
    os.setxattr(document("local/Work/Invoice March.txt"), "user.displayName", b"March")
    until(lambda: sorted(found()) == ["Another invoice", "Old INVOICE"], "one with another name is not")
    look_for("displayName contains invoice and size > 6")
    until(lambda: found() == ["Another invoice"], "a predicate")
    with open(document("cloud/Old INVOICE.txt"), "a") as file:
        file.write("and more")
    until(lambda: found() == ["Another invoice", "Old INVOICE"], "one that has grown is found")
    look_for("size >")
    until(lambda: "a value is missing" in browser.run("return document.querySelector('#message').textContent"), "a mistake is told")
    assert found() == ["Another invoice", "Old INVOICE"]
    pictures(browser, "filter")
    look_for("zebra")
    until(lambda: "No document is found." in browser.run("return document.querySelector('#status').textContent"), "nothing")
    browser.run("document.querySelector('#filter').focus()")
    browser.press("\ue00c")
    until(lambda: "Bill" in browser.names() and "Work" in browser.names(), "all is shown again")
    for name in ("local/Work/March.txt", "local/Work/Another invoice.txt", "cloud/Old INVOICE.txt", "local/Bill.txt"):
        os.remove(document(name))


def is_as_served(browser):
    """Whether each row that is drawn is the one that the server has there."""
    return browser.run(
        "const drawn = [...document.querySelectorAll('#rows .row')];"
        "return fetch('/rows?from=0&count=500').then((answer) => answer.json()).then(({ rows, update }) =>"
        " Number(document.querySelector('#table').getAttribute('aria-rowcount')) === update.count && drawn.every((row) => {"
        "  const { name, kind, isOpen, depth } = rows[row.ariaRowIndex - 1] ?? {};"
        "  return kind === 'section' || (row.children[1].textContent.replace(/^[▾▸]/, '') === name"
        "   && row.getAttribute('aria-level') === String(depth + 1)"
        "   && (kind === 'document' || row.getAttribute('aria-expanded') === String(isOpen))); }))")


def follow(browser, seed):
    """Whatever a shell does, however fast: at rest the page shows what is there."""
    rng = random.Random(seed)
    base = document("local/Mixed")
    os.makedirs(os.path.join(base, "A"))
    os.makedirs(os.path.join(base, "B"))
    toggle = ("const row = [...document.querySelectorAll('.row.folder')].find((row) => row.textContent.includes(arguments[0])"
              " && row.getAttribute('aria-expanded') === 'false'); if (row) row.querySelector('.twist').click(); return !!row")
    for name in ("Mixed", "▸A", "▸B"):
        until(lambda: browser.run(toggle, name), f"{name} opens")

    def some(folder):
        names = [one for one in os.listdir(folder) if not os.path.isdir(os.path.join(folder, one))]
        return os.path.join(folder, rng.choice(names)) if names else None

    def step():
        folder = os.path.join(base, rng.choice(["", "A", "B"]))
        os.makedirs(folder, exist_ok=True)
        kind = rng.randrange(8)
        name = some(folder)
        if kind <= 2 or name is None:
            with open(os.path.join(folder, f"Note {rng.randrange(30)}.txt"), "w") as file:
                file.write(str(kind))
        elif kind == 3:
            os.remove(name)
        elif kind == 4:
            os.rename(name, os.path.join(base, f"Moved {rng.randrange(1 << 30)}.txt"))
        elif kind == 5:
            with open(os.path.join(folder, ".order"), "w") as file:
                file.write(os.path.basename(name) + "\n")
        elif kind == 6:
            for old, new in (("A", "X"), ("B", "A"), ("X", "B")):
                if os.path.exists(os.path.join(base, old)):
                    os.rename(os.path.join(base, old), os.path.join(base, new))
        else:
            shutil.rmtree(os.path.join(base, "A"), ignore_errors=True)
            os.mkdir(os.path.join(base, "A"))

    for _ in range(12):
        for _ in range(rng.randrange(1, 12)):
            step()
        browser.run(toggle, rng.choice(["▸A", "▸B"]))
        until(lambda: is_as_served(browser), f"the page shows what is there (seed {seed})")
    served = browser.run("return fetch('/rows?from=0&count=500').then((answer) => answer.json())")["rows"]
    for row in served:
        if not row["id"].startswith("local/Mixed") or not row["isOpen"]:
            continue
        inside = {one["id"] for one in served if os.path.dirname(one["id"]) == row["id"]}
        there = {f"{row['id']}/{name}" for name in os.listdir(document(row["id"]))}
        assert inside == there, f"{row['id']} (seed {seed}): {inside ^ there}"
    shutil.rmtree(base)
    until(lambda: "Mixed" not in browser.names(), "the folder has gone")


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


browser = Browser(PICTURES)
try:
    use(browser)
    pictures(browser, "light")
    assert browser.barriers() == [], browser.barriers()
    edit(browser)
    find(browser)
    for seed in range(4):
        follow(browser, seed)
    scroll(browser)
finally:
    browser.end()
browser = Browser(PICTURES, "dark", "de")
try:
    browser.open(ADDRESS)
    until(lambda: "Auf diesem Computer" in browser.names(), "a German browser reads German")
    pictures(browser, "dark")
    assert browser.barriers() == [], browser.barriers()
finally:
    browser.end()
