"""Champions: weights and a book that won their gate, kept with their history; and the player, who may be newer."""

import os

from .files import NightError, copy_whole, locked, part_name, read_json, remove_tree, sha256, sync_folder, write_json

WEIGHTS, BOOK, ORIGIN = "weights.toml", "experience.exp", "origin.json"
# What the weights were fitted to: how firmly each of them is known.
EVIDENCE = "evidence.json"
# Beside the nights: the champion that reigns, who plays the next games, and all champions.
LINK, PLAYER_LINK, HISTORY = "champion", "player", "history"


class Champion:
    """A folder with weights, perhaps a book, and where they come from."""

    def __init__(self, folder):
        self.folder = folder

    @property
    def weights(self):
        return os.path.join(self.folder, WEIGHTS)

    @property
    def book(self):
        path = os.path.join(self.folder, BOOK)
        return path if os.path.exists(path) else None

    @property
    def evidence(self):
        path = os.path.join(self.folder, EVIDENCE)
        return path if os.path.exists(path) else None

    @property
    def origin(self):
        path = os.path.join(self.folder, ORIGIN)
        return read_json(path) if os.path.exists(path) else {}

    @property
    def identity(self):
        """What it plays with, wherever it lies."""
        return {WEIGHTS: sha256(self.weights), BOOK: sha256(self.book) if self.book else None}

    def copy_to(self, folder):
        os.makedirs(folder, exist_ok=True)
        copy_whole(self.weights, os.path.join(folder, WEIGHTS))
        if self.book:
            copy_whole(self.book, os.path.join(folder, BOOK))
        if self.evidence:
            copy_whole(self.evidence, os.path.join(folder, EVIDENCE))


class Hall:
    """All champions of a place, in the order of their promotion: `history/0001-…`, and `champion`, a link to the one
    that reigns. The link is replaced by a rename, so there is always exactly one. Where the repository ships other weights
    than it did when that champion was promoted, the repository has moved on, and what it ships reigns."""

    def __init__(self, folder, shipped):
        self.folder = folder
        self.link = os.path.join(folder, LINK)
        self.player_link = os.path.join(folder, PLAYER_LINK)
        self.history_folder = os.path.join(folder, HISTORY)
        self.shipped = shipped

    def entry(self, name):
        return Champion(os.path.join(self.history_folder, name))

    def current(self):
        if not os.path.lexists(self.link):
            return self.shipped
        champion = Champion(os.path.realpath(self.link))
        if not os.path.isfile(champion.weights):
            raise NightError(f"{self.link} should lead to a champion, but there is no {champion.weights}; remove "
                             f"{self.link} to go on from what is shipped")
        return champion if self.reigns_over(champion) else self.shipped

    def player(self):
        """Who plays the next games: the newest weights that were not found weaker, as long as the champion they were
        measured against reigns."""
        champion = self.current()
        if os.path.exists(os.path.join(self.player_link, ORIGIN)):
            player = Champion(os.path.realpath(self.player_link))
            if player.origin.get("champion") == champion.identity:
                return player
        return champion

    def entries(self):
        if not os.path.isdir(self.history_folder):
            return []
        return sorted(name for name in os.listdir(self.history_folder) if ".part-" not in name)

    def promote(self, champion, origin, beaten):
        """Compare and swap: the champion reigns if the one that it has beaten still does. Adds it to the history unless
        this very promotion is there already. Answers who reigns instead if it was refused, or nothing."""
        os.makedirs(self.history_folder, exist_ok=True)
        with locked(os.path.join(self.folder, "champion.lock"), "the champion", wait=True):
            reigning = self.current()
            known = [name for name in self.entries() if self.entry(name).origin == origin]
            if known and os.path.realpath(reigning.folder) == os.path.realpath(self.entry(known[0]).folder):
                return None
            if reigning.identity != beaten:
                return os.path.basename(reigning.folder)
            # A kill may have come between the two steps.
            self.point_to(self.link, os.path.join(HISTORY, known[0] if known else self.keep(champion, origin)))
            return None

    def keep(self, champion, origin):
        number = 1 + max((int(name.split("-")[0]) for name in self.entries()), default=0)
        name = f"{number:04}-{origin['night']}-{origin['generation']}"
        part = part_name(os.path.join(self.history_folder, name))
        remove_tree(part, self.history_folder)
        os.makedirs(part)
        champion.copy_to(part)
        write_json(os.path.join(part, ORIGIN), origin)
        os.rename(part, os.path.join(self.history_folder, name))
        sync_folder(self.history_folder)
        return name

    def play_on(self, folder):
        """The player in this folder, which lies in this place, plays the next games."""
        self.point_to(self.player_link, os.path.relpath(folder, self.folder))

    def point_to(self, link, target):
        temporary = part_name(link)
        if os.path.lexists(temporary):
            os.remove(temporary)
        os.symlink(target, temporary)
        os.replace(temporary, link)
        sync_folder(self.folder)

    def reigns_over(self, champion):
        """Whether the repository still ships what it did when this champion was promoted, or this very champion."""
        shipped_then, shipped_now = champion.origin.get("shipped_weights_sha256"), sha256(self.shipped.weights)
        return shipped_then in (None, shipped_now) or shipped_now == sha256(champion.weights)

    def refuse_if_outdated(self, name):
        if not self.reigns_over(self.entry(name)):
            raise NightError(f"{name} was promoted when the repository shipped other weights, which would reign instead; "
                             "check those out first (git log data/champion)")

    def rollback(self, to=None):
        """Lets the champion before reign again, or the one that is named, which may be a later one. The first one
        stands on what is shipped."""
        with locked(os.path.join(self.folder, "champion.lock"), "the champion", wait=True):
            now = os.path.basename(os.readlink(self.link)) if os.path.lexists(self.link) else None
            if to is not None:
                matching = [name for name in self.entries() if name == to or name.split("-")[0].lstrip("0") == to.lstrip("0")]
                if to != "shipped" and len(matching) != 1:
                    raise NightError(f"--to {to}: no such champion; name one of {', '.join([*self.entries(), 'shipped'])}")
                target = None if to == "shipped" else matching[0]
            elif now is None:
                raise NightError("nothing to roll back: the shipped champion reigns")
            else:
                target = max((name for name in self.entries() if name < now), default=None)
            if target:
                self.refuse_if_outdated(target)
                self.point_to(self.link, os.path.join(HISTORY, target))
            elif now:
                os.remove(self.link)
                sync_folder(self.folder)
            return now or "what is shipped", target or "what is shipped"
