"""Uses the page of docfs browse in Chromium with 100,000 documents: browse-large.py ADDRESS DOCUMENTS. Ends with 0 if all is as it should be."""

import os
import sys

from browser import Browser, until

ADDRESS, DOCUMENTS = sys.argv[1:3]
LOCAL = os.path.join(DOCUMENTS, "local")
TABLE = "const table = document.querySelector('#table'); "


def count(browser):
    return browser.run(TABLE + "return Number(table.getAttribute('aria-rowcount'))")


def visible(browser):
    """The names of the rows between the edges of the table."""
    return browser.run(
        TABLE + "const { top, bottom } = table.getBoundingClientRect();"
        "return [...document.querySelectorAll('#rows .row')].filter((row) => {"
        " const place = row.getBoundingClientRect(); return place.top >= top - 1 && place.bottom <= bottom + 1; })"
        ".map((row) => row.children[1].textContent.replace(/^[▾▸]/, ''))")


def scroll(browser, index):
    """Shows the document with this number at the top. The head of the section stands before all of them."""
    browser.run(TABLE + "table.scrollTop = arguments[0] * 30", index + 1)


def names(start, length):
    return [f"Note {number:06}" for number in range(start, start + length)]


def shows(browser, start):
    """Whether the rows that are visible are the documents from this number on."""
    found = visible(browser)
    return len(found) > 3 and found == names(start, len(found))


def use(browser):
    browser.open(ADDRESS)
    until(lambda: count(browser) == 100002, lambda: f"all rows count: {count(browser)}")
    # What is jumped to comes, and no more than what is visible is in the page.
    for start in (0, 50000, 99000, 7, 31415, 65536):
        scroll(browser, start)
        until(lambda: shows(browser, start), lambda: f"the rows from {start} on are shown: {visible(browser)}")
        drawn = browser.run("return document.querySelectorAll('#rows > *').length")
        assert drawn < 80, drawn
    # A hand that scrolls: the page draws as often as the browser does, each row that was asked for is shown in the end.
    frames = browser.run(
        TABLE + "return new Promise((done) => { let drawn = 0; const step = () => {"
        " table.scrollTop += 95; drawn += 1; if (drawn < 100) requestAnimationFrame(step); else done(drawn); };"
        " requestAnimationFrame(step); })")
    assert frames == 100, frames
    until(lambda: len(visible(browser)) > 3 and all(name.startswith("Note ") for name in visible(browser)),
          lambda: f"the rows come to where the scrolling ended: {visible(browser)}")
    # By the keyboard from one end to the other. The section of the cloud is the last row.
    browser.run("document.querySelector('#table').focus()")
    browser.press("\ue010")
    until(lambda: visible(browser)[-2:] == ["Note 099999", "In the cloud"], lambda: f"the last rows: {visible(browser)}")
    browser.press("\ue011")
    until(lambda: visible(browser)[:2] == ["On this computer", "Note 000000"], lambda: f"the first rows: {visible(browser)}")
    # What goes above the rows that are shown moves neither them nor the selection.
    scroll(browser, 70000)
    until(lambda: shows(browser, 70000), "the rows from 70,000 on are shown")
    browser.click("#rows .row .name", "Note 070003")
    chosen = "return [...document.querySelectorAll('#rows .row.chosen .name')].map((one) => one.textContent)"
    until(lambda: browser.run(chosen) == ["Note 070003"], "a row is selected")
    for number in range(100, 120):
        os.remove(os.path.join(LOCAL, f"Note {number:06}.txt"))
    until(lambda: count(browser) == 99982, lambda: f"20 rows have gone: {count(browser)}")
    until(lambda: shows(browser, 70000), lambda: f"the same rows are shown: {visible(browser)}")
    assert browser.run(chosen) == ["Note 070003"]
    # One of all is found.
    browser.run("const box = document.querySelector('#filter'); box.focus(); box.value = '031415';"
                " box.dispatchEvent(new Event('input'))")
    until(lambda: "Note 031415" in visible(browser) and count(browser) < 10, lambda: f"one is found: {visible(browser)}")
    assert browser.complaints() == [], browser.complaints()


browser = Browser(None)
try:
    use(browser)
finally:
    browser.end()
