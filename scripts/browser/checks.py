"""What a reader does, done by a browser; each check says what it saw."""

import os
import shutil
import subprocess
import tempfile
import time

from . import synthetic
from .driver import Browser
from .served import Served, night, played

# Larger pages are too slow on a phone; slower ones are not opened twice.
MOST_BYTES, MOST_PAINT_MS = 500_000, 1000
PHONE = 360


class Watch:
    """A browser at a server: whatever page was seen, no script failed and nothing foreign was asked for."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address

    def clean(self, where):
        complaints = self.browser.complaints()
        assert not complaints, f"{where}: the console says {complaints}"
        foreign = [url for url in self.browser.requests()
                   if not url.startswith((self.address, "data:", "about:", "file://", "chrome"))]
        assert not foreign, f"{where}: asked for {foreign}"

    def narrow(self, where):
        wide = self.browser.js("return document.documentElement.scrollWidth")
        assert wide <= PHONE, f"{where}: {wide} pixels wide on a phone of {PHONE}"


def say(text):
    print(f"  {text}", flush=True)


def pages(watch, name):
    """Every page opens, on a screen and on a phone. (The gate of the weights is left out where a fit changed nothing.)"""
    ways = ["#/", f"#/night/{name}", "#/tests", f"#/games/{name}/games-1", f"#/games/{name}/gate-1-both",
            f"#/game/{name}/games-1/0/12", f"#/game/{name}/gate-1-both/0/3", "#/tuning", f"#/tuning/{name}/1", "#/position", "#/play"]
    for phone in (False, True):
        watch.browser.size(PHONE if phone else 1280, 800, phone)
        for place in ways:
            watch.browser.go(place)
            said = watch.browser.text()
            assert "cannot be shown" not in said, f"{place}: {said}"
            if phone:
                time.sleep(0.1)
                watch.narrow(place)
            watch.clean(place)
    watch.browser.size(1280, 900)
    say(f"{len(ways)} pages, on a screen and {PHONE} pixels wide: no error, nothing foreign, no scrolling sideways")


def steps(watch, name):
    """A game by keys, and a deep link to a ply."""
    browser = watch.browser
    browser.go(f"#/games/{name}/games-1")
    browser.js("document.querySelector('tbody a').click()")
    browser.wait("return document.querySelector('.board') && location.hash.includes('/game/')")
    begin = browser.js("return document.querySelector('.board').getAttribute('aria-label')")
    browser.keys("right", "right", "right")
    browser.wait("return location.hash.endsWith('/3')")
    third = browser.js("return document.querySelector('.board').getAttribute('aria-label')")
    assert third != begin
    browser.keys("end", "left", "home", "right", "f")
    browser.wait("return location.hash.endsWith('/1')")
    link = browser.js("return location.href").rsplit("/", 1)[0] + "/3"
    browser.open(link)
    again = browser.js("return document.querySelector('.board').getAttribute('aria-label')")
    assert again == third, "a deep link leads to the same position"
    watch.clean("the viewer")
    say("a game stepped through by keys; a link to a ply leads there")


def play(watch):
    """Three moves against the engine, by the keyboard and by clicks; the game is kept."""
    browser = watch.browser
    browser.go("#/play")
    browser.wait("return document.querySelector('.board') !== null")
    for number in range(1, 4):
        browser.wait(f"return document.querySelector('.board').dataset.plies === '{2 * number - 2}'")
        # Any legal move, whatever the engine has played.
        move = browser.js("return document.querySelector('.board').dataset.legal.split(' ')[0]")
        browser.type("input[aria-label='your move']", move + "\ue007")
    browser.wait("return document.querySelector('.board').dataset.plies === '6'")
    watch.clean("a game against the engine")
    browser.js("[...document.querySelectorAll('button')].find((b) => b.textContent === 'resign').click()")
    browser.wait("return document.body.innerText.includes('keep this game')")
    browser.js("[...document.querySelectorAll('button')].find((b) => b.textContent.startsWith('keep')).click()")
    browser.wait("return document.body.innerText.includes('selfplay learn')")
    say("three moves played against the engine, the game kept")


def analysis(watch, name):
    browser = watch.browser
    browser.go(f"#/game/{name}/games-1/0/10")
    browser.js("[...document.querySelectorAll('button')].find((b) => b.textContent.startsWith('let the engine')).click()")
    browser.wait("return /depth \\d+/.test(document.body.innerText) && document.querySelector('.arrow') !== null")
    browser.go("#/position/" + "r1bqkbnr%2Fpppp1ppp%2F2n5%2F4p3%2F2B1P3%2F5N2%2FPPPP1PPP%2FRNBQK2R%20b%20KQkq%20-%203%203")
    assert "Term by term" in browser.text()
    watch.clean("analysis")
    say("live analysis answers; a position is explained")


def follow(watch, root, programs, nights):
    """A night that runs, followed until its end without touching the page."""
    browser = watch.browser
    running = night(root, programs, nights, "followed", "--games", "60", "--arms", "weights")
    try:
        end = time.monotonic() + 60
        while not os.path.exists(os.path.join(nights, "followed", "manifest.json")) and time.monotonic() < end:
            time.sleep(0.05)
        browser.go("#/night/followed")
        browser.wait("return document.body.innerText.includes('running')")
        browser.wait("return document.body.innerText.includes('The champion stays') || "
                     "document.body.innerText.includes('A new champion')", 240)
    finally:
        played(running)
    watch.clean("a running night")
    say("a running night followed until its end")


def hostile(watch):
    browser = watch.browser
    for place in ("#/", "#/night/hostile", "#/tests", "#/games/hostile/gate-1-weights", "#/game/hostile/gate-1-weights/0/4"):
        browser.go(place)
        browser.js("document.querySelectorAll('details').forEach((box) => { box.open = true; }); "
                   "[...document.querySelectorAll('details button')].forEach((button) => button.click());")
        time.sleep(0.2)
        assert not browser.js("return window.hacked || false"), f"{place}: a name became a script"
        assert not browser.js("return document.querySelector('main script, main img') !== null"), place
    browser.complaints()
    say("names, headers and logs that are scripts stay text")


def year(programs, folder):
    """An overview of 365 nights: how long until it can be read, and how much it is."""
    nights = os.path.join(folder, "year")
    synthetic.nights(nights, 365)
    with Served(programs, nights) as served, Browser() as browser:
        browser.size(1280, 900)
        for round_of in ("first", "second"):
            browser.open(served.address)
            times = browser.js("return [performance.getEntriesByName('first-contentful-paint')[0].startTime, "
                               "performance.getEntriesByName('ready')[0].startTime, "
                               "performance.getEntriesByType('resource').reduce((sum, r) => sum + r.decodedBodySize, 0)]")
            say(f"365 nights, {round_of} time: first paint after {times[0]:.0f} ms, all of it after {times[1]:.0f} ms, "
                f"{times[2] / 1000:.0f} kB")
        assert times[1] < MOST_PAINT_MS, f"the overview took {times[1]:.0f} ms"
        assert times[2] < MOST_BYTES, f"the overview is {times[2]} bytes"


def export(programs, nights, folder, name):
    """The same pages from the disk, without a server."""
    out = os.path.join(folder, "public")
    subprocess.run([os.path.join(programs, "selfplay"), "serve", "--nights", nights, "--export", out, "--export-games", "3"],
                   check=True, stdout=subprocess.DEVNULL)
    with Browser() as browser:
        watch = Watch(browser, "file://")
        browser.open(f"file://{out}/index.html")
        for place in ("#/", f"#/night/{name}", "#/tests", f"#/games/{name}/games-1", f"#/game/{name}/games-1/0/7", f"#/tuning/{name}/1"):
            browser.go(place)
            assert "cannot be shown" not in browser.text(), f"{place}: {browser.text()}"
            watch.clean("export " + place)
        browser.keys("right")
    say("the export opens from the disk")


def pictures(programs, nights, folder, out, name):
    """For the documentation: a year of nights, and a real one."""
    year_folder = os.path.join(folder, "year")
    synthetic.nights(year_folder, 365)
    with Served(programs, year_folder) as served, Browser() as browser:
        browser.size(1280, 900)
        browser.open(served.address)
        browser.picture(os.path.join(out, "overview.png"))
    with Served(programs, nights) as served, Browser() as browser:
        browser.size(1280, 1150)
        browser.open(served.address)
        browser.go(f"#/night/{name}")
        browser.picture(os.path.join(out, "night.png"))
        browser.size(1280, 1000, dark=True)
        browser.go(f"#/game/{name}/lines-1/1/7")
        browser.picture(os.path.join(out, "viewer.png"))
        browser.size(PHONE, 740, phone=True)
        browser.go(f"#/game/{name}/lines-1/1/7")
        browser.picture(os.path.join(out, "phone.png"))


def run(root, programs, picture_folder):
    folder = tempfile.mkdtemp(prefix="tabula-dashboard-")
    nights, name = os.path.join(folder, "nights"), "small"
    try:
        # Pictures deserve searches that see something.
        played(night(root, programs, nights, name, *(["--nodes", "5000", "--quick-nodes", "0"] if picture_folder else [])))
        say("a small night was played")
        if picture_folder:
            pictures(programs, nights, folder, picture_folder, name)
            return 0
        synthetic.hostile(nights)
        with Served(programs, nights, "--played", os.path.join(folder, "played")) as served, Browser() as browser:
            watch = Watch(browser, served.address)
            browser.open(served.address)
            pages(watch, name)
            steps(watch, name)
            play(watch)
            analysis(watch, name)
            hostile(watch)
            follow(watch, root, programs, nights)
        export(programs, nights, folder, name)
        year(programs, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("the dashboard: all passed")
    return 0
