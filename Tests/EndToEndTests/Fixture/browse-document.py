"""Looks at single documents on the page of docfs browse, in Chromium: browse-document.py ADDRESS DOCUMENTS PICTURES OPENED OTHER CONTAINER.

There are `cloud/Plan.txt`, in conflict between "milk\\n" (here, current) and "butter\\n", with the earlier version "eggs\\n"; and
`local/Picture.png`, `local/Drawing.svg`, `local/Sound.wav`, `local/Page.html` and `local/Data.bin`. The program that stands in for the
desktop's writes its argument to OPENED. OTHER is the documents of another device, CONTAINER the folder that both share. Ends with 0 if all is as it should be.
"""

import os
import sys

from browser import Browser, until

ADDRESS, DOCUMENTS, PICTURES, OPENED, OTHER, CONTAINER = sys.argv[1:]


def document(name):
    return os.path.join(DOCUMENTS, name)


def text(name):
    with open(document(name)) as file:
        return file.read()


def choose(browser, name):
    until(lambda: name in browser.names(), f"{name} is listed")
    browser.click("#rows .row .name", name)
    until(lambda: browser.run("return document.querySelector('#details strong')?.textContent") == name, f"{name} is selected")


def shown(browser, selector):
    return browser.run("return [...document.querySelectorAll('#dialogContent ' + arguments[0])].map((one) => one.textContent)", selector)


def press(browser, label, item):
    """A button of an item in a list of versions."""
    done = browser.run(
        "const item = document.querySelectorAll('#dialogContent .versions li')[arguments[1]];"
        "const found = [...(item?.querySelectorAll('button') ?? [])].find((one) => one.textContent === arguments[0]);"
        "found?.click(); return Boolean(found);", label, item)
    assert done, f"there is no {label} of {item}"


def escape(browser):
    browser.press("\ue00c")
    until(lambda: not browser.run("return document.querySelector('#dialog').open"), "the window is closed")


def solve(browser):
    choose(browser, "Plan")
    browser.click("#details button", "Solve conflict…")
    until(lambda: len(shown(browser, ".versions li")) == 3, lambda: f"three contents: {shown(browser, '.versions li')}")
    assert shown(browser, "h3")[:2] == ["In conflict", "Earlier versions"], shown(browser, "h3")
    items = shown(browser, ".versions .who")
    assert items[0] == "This device" and items[1] == "Desktop", items
    for width in (500, 1280):
        browser.picture(f"conflict-{width}.png", width)
    assert browser.barriers() == [], browser.barriers()
    press(browser, "Compare", 1)
    until(lambda: shown(browser, ".removed") == ["butter"] and shown(browser, ".added") == ["milk"], "the difference is shown")
    browser.picture("difference-1280.png", 1280)
    assert browser.barriers() == [], browser.barriers()
    browser.click("#dialogContent button", "Back")
    until(lambda: len(shown(browser, ".versions li")) == 3, "the versions again")
    press(browser, "Look", 1)
    until(lambda: shown(browser, "pre") == ["butter\n"], "the other text is shown")
    browser.click("#dialogContent button", "Back")
    until(lambda: len(shown(browser, ".versions li")) == 3, "the versions again")
    press(browser, "Keep this one", 1)
    until(lambda: text("cloud/Plan.txt") == "butter\n", "the other one is the document")
    # The window follows what has changed: nothing is in conflict, and what was given up is an earlier version.
    until(lambda: shown(browser, "h3")[:1] == ["Earlier versions"] and len(shown(browser, ".versions li")) == 2,
          lambda: f"no conflict any more: {shown(browser, 'h3')} {shown(browser, '.versions li')}")
    earlier = [index for index in range(2) if look_at(browser, index) == "eggs\n"]
    assert len(earlier) == 1, earlier
    press(browser, "Restore", earlier[0])
    until(lambda: text("cloud/Plan.txt") == "eggs\n", "the earlier version is the document again")
    until(lambda: shown(browser, "h3")[:1] == ["Earlier versions"], lambda: f"it stays without conflict: {shown(browser, 'h3')}")
    escape(browser)
    until(lambda: browser.run("return document.querySelector('#undo').textContent") == "Undo: Restore a version of “Plan”", "it can be undone")


def look_at(browser, index):
    press(browser, "Look", index)
    found = until(lambda: shown(browser, "pre"), "a text is shown")[0]
    browser.click("#dialogContent button", "Back")
    until(lambda: len(shown(browser, ".versions li")) == 2, "the versions again")
    return found


def look(browser):
    choose(browser, "Picture")
    browser.click("#details button", "Look")
    until(lambda: browser.run("return document.querySelector('#dialogContent img')?.naturalWidth") == 2, "the picture is shown")
    escape(browser)
    choose(browser, "Drawing")
    browser.run("document.querySelector('#table').focus()")
    browser.press(" ")
    until(lambda: browser.run("return document.querySelector('#dialogContent img')?.naturalWidth") == 30, "the drawing is shown")
    escape(browser)
    choose(browser, "Sound")
    browser.click("#details button", "Look")
    until(lambda: round(browser.run("return document.querySelector('#dialogContent audio')?.duration ?? 0") or 0) == 2,
          lambda: "the sound is known, but " + str(browser.run(
              "const audio = document.querySelector('#dialogContent audio');"
              " return [audio?.src, audio?.error?.code, audio?.error?.message, audio?.networkState, audio?.readyState,"
              " document.querySelector('#dialogContent')?.textContent];")))
    escape(browser)
    # A page of somebody else is a text here.
    choose(browser, "Page")
    browser.click("#details button", "Look")
    until(lambda: shown(browser, "pre") == ["<script>document.title = 'attacked'</script>"], "the page is shown as a text")
    assert browser.run("return document.title") == "docfs"
    escape(browser)
    choose(browser, "Data")
    browser.click("#details button", "Look")
    until(lambda: "cannot be shown here" in "".join(shown(browser, ".problem")), "what is no text is refused in words")
    escape(browser)
    choose(browser, "Data")
    os.setxattr(document("local/Data.bin"), "user.mood", b"worried")
    browser.click("#details button", "Details…")
    until(lambda: shown(browser, "dd") == ["worried"], "the attribute is shown")
    assert shown(browser, ".path") == [os.path.realpath(document("local")) + "/" + os.path.basename(shown(browser, ".path")[0])]
    escape(browser)


def open_in_program(browser):
    choose(browser, "Sound")
    browser.click("#details button", "Open")
    until(lambda: os.path.exists(OPENED) and open(OPENED).read() == document("local/Sound.wav") + "\n", "its program gets it")
    # It opens nothing whose name is `Data`.
    choose(browser, "Data")
    browser.click("#details button", "Open")
    until(lambda: "no program of this desktop opens it" in message(browser), lambda: f"that is told: {message(browser)}")


def message(browser):
    return browser.run("return document.querySelector('#message').textContent")


def answer(browser, question, choice):
    until(lambda: question in browser.run("return document.querySelector('#dialogTitle').textContent"), f"{question} is asked")
    until(lambda: choice in shown(browser, "button"), f"{choice} can be chosen")
    browser.click("#dialogContent button", choice)
    until(lambda: not browser.run("return document.querySelector('#dialog').open"), "the question is answered")


def drop(browser, over, *files):
    """Drops files of the desktop on a row. Each is a name and a number of bytes."""
    browser.run(
        "const row = [...document.querySelectorAll('#rows .row')].find((row) => row.querySelector('.name')?.lastChild.textContent === arguments[0]);"
        "const dataTransfer = new DataTransfer();"
        "for (const [name, length] of arguments[1]) {"
        "  const bytes = new Uint8Array(length).map((_, index) => index % 251);"
        "  dataTransfer.items.add(new File([bytes], name, { lastModified: 1700000000000 }));"
        "}"
        "for (const kind of ['dragover', 'drop']) row.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer }));",
        over, files)


def add(browser):
    large = bytes(index % 251 for index in range(251)) * (9 << 20 >> 7)
    large = large[:9 << 20]
    drop(browser, "In the cloud", ("Dropped.txt", 5), ("Large.bin", 9 << 20), ("Empty.txt", 0))
    until(lambda: {"Dropped", "Large", "Empty"} <= set(browser.names()), "what was dropped is listed")
    with open(document("cloud/Large.bin"), "rb") as file:
        assert file.read() == large
    assert os.stat(document("cloud/Dropped.txt")).st_mtime == 1700000000
    assert os.path.getsize(document("cloud/Empty.txt")) == 0
    # A second one of the same name is asked about; over a document means beside it.
    drop(browser, "Large", ("Dropped.txt", 7))
    answer(browser, "“Dropped.txt” already", "Keep both")
    until(lambda: os.path.exists(document("cloud/Dropped 2.txt")), "it has a number")
    assert os.path.getsize(document("cloud/Dropped.txt")) == 5 and os.path.getsize(document("cloud/Dropped 2.txt")) == 7
    drop(browser, "Large", ("Dropped.txt", 9), ("Empty.txt", 9), ("Other.txt", 9))
    answer(browser, "“Dropped.txt” already", "Skip all of them")
    until(lambda: "Other" in browser.names(), "the others come")
    assert os.path.getsize(document("cloud/Dropped.txt")) == 5 and os.path.getsize(document("cloud/Empty.txt")) == 0
    # Folders come with what is in them.
    browser.run("import('/adding.js').then(({ addAll }) => addAll([{ file: new File(['day'], 'Day.txt'), path: 'Trip/May/Day.txt', target: 'local' }]))")
    until(lambda: os.path.exists(document("local/Trip/May/Day.txt")), "the folders are made")
    assert text("local/Trip/May/Day.txt") == "day"
    until(lambda: browser.run("return document.querySelector('#adding').hidden"), "nothing is being added")
    assert message(browser) == "", message(browser)
    assert not [name for name in os.listdir(document("cloud")) if name.endswith(".tmp")]


def history(browser):
    os.remove(document("cloud/Other.txt"))
    until(lambda: "Other" not in browser.names(), "it is deleted")
    browser.click("#history")
    until(lambda: "Trash" in shown(browser, "h3"), "the trash is shown")
    browser.picture("history-1280.png", 1280)
    assert browser.barriers() == [], browser.barriers()
    done = browser.run("const item = [...document.querySelectorAll('#dialogContent li')].find((one) => one.textContent.startsWith('Other.txt'));"
                       "item?.querySelector('button').click(); return Boolean(item);")
    assert done, shown(browser, "li")
    until(lambda: os.path.exists(document("cloud/Other.txt")), "it is back")
    until(lambda: "Trash" not in shown(browser, "h3") or not any(one.startswith("Other.txt") for one in shown(browser, "li")),
          "the list follows")
    os.remove(document("cloud/Other.txt"))
    os.remove(document("cloud/Dropped 2.txt"))
    until(lambda: any("(2)" in one for one in shown(browser, "button")), "two can be undone")
    # One action if they were removed within a few seconds. The page refuses to undo what is no longer the first.
    until(lambda: shown(browser, "li .who")[:1] in (["Delete 2 documents"], ["Delete “Dropped 2”"]),
          lambda: f"the last one stands first: {shown(browser, 'li .who')}")
    browser.click("#dialogContent button", "Undo")
    until(lambda: os.path.exists(document("cloud/Dropped 2.txt")), "undone")
    until(lambda: "Can be done again" in shown(browser, "h3"), "it can be done again")
    escape(browser)


def prefer(browser):
    checked = "return document.querySelector('#preferred').getAttribute('aria-checked')"
    assert browser.run(checked) == "false"
    browser.click("#preferred")
    answer(browser, "All documents move to the cloud", "Move all")
    until(lambda: browser.run(checked) == "true", "the cloud is preferred")
    until(lambda: os.path.exists(document("cloud/Data.bin")) and not os.path.exists(document("local/Data.bin")), "all have moved")


def apart(browser):
    """What another device does shows, and a cloud that is away is told of."""
    with open(os.path.join(OTHER, "cloud/From there.txt"), "w") as file:
        file.write("there")
    until(lambda: "From there" in browser.names(), "what another device made is shown")
    os.rename(CONTAINER, CONTAINER + ".away")
    with open(document("cloud/Written apart.txt"), "w") as file:
        file.write("apart")
    status = "return document.querySelector('#status').textContent"

    def where():
        return next((row[5] for row in browser.rows() if row[1] == "Written apart"), None)

    until(lambda: "The cloud cannot be reached." in browser.run(status), lambda: f"it is away: {browser.run(status)}")
    until(lambda: where() == "Waiting for the cloud", lambda: f"it waits: {where()}")
    os.rename(CONTAINER + ".away", CONTAINER)
    until(lambda: "The cloud is reachable." in browser.run(status), lambda: f"it is back: {browser.run(status)}")
    until(lambda: where() == "Here", lambda: f"it was sent: {where()}")
    until(lambda: os.path.exists(os.path.join(OTHER, "cloud/Written apart.txt")), "the other device has it")


def attack(browser):
    """A drawing that is opened by itself has no origin, and runs nothing."""
    identifier = until(lambda: browser.run("return [...document.querySelectorAll('#rows .row')].find((row) =>"
                                           " row.querySelector('.name')?.textContent.includes('Drawing'))?.dataset.row"), "it is listed")
    here = browser.run("return location.origin")
    browser.open(f"{here}/preview?id={identifier}")
    until(lambda: browser.run("return document.documentElement?.tagName") == "svg", "the drawing is opened")
    assert browser.run("return document.documentElement.getAttribute('data-attacked')") is None


browser = Browser(PICTURES)
try:
    browser.open(ADDRESS)
    solve(browser)
    apart(browser)
    look(browser)
    open_in_program(browser)
    add(browser)
    history(browser)
    prefer(browser)
    complaints = [one for one in browser.complaints() if one["level"] == "SEVERE" and not any(code in one["message"] for code in ("409", "412"))]
    assert not complaints, complaints
    attack(browser)
finally:
    browser.end()
