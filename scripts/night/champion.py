"""Champions: weights and a book that won their gate, kept with their history."""

import os

from .files import NightError, copy_whole, read_json, remove_tree, sync_folder, write_json

WEIGHTS, BOOK, ORIGIN = "weights.toml", "experience.exp", "origin.json"
# Beside the nights: the champion that reigns, and all of them.
LINK, HISTORY = "champion", "history"


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
    def origin(self):
        path = os.path.join(self.folder, ORIGIN)
        return read_json(path) if os.path.exists(path) else {}

    def copy_to(self, folder):
        copy_whole(self.weights, os.path.join(folder, WEIGHTS))
        if self.book:
            copy_whole(self.book, os.path.join(folder, BOOK))


class Hall:
    """All champions of a place, in the order of their promotion: `history/0001-…`, and `champion`, a link to the one
    that reigns. The link is replaced by a rename, so there is always exactly one."""

    def __init__(self, folder, shipped):
        self.folder = folder
        self.link = os.path.join(folder, LINK)
        self.history_folder = os.path.join(folder, HISTORY)
        self.shipped = shipped

    def current(self):
        if not os.path.lexists(self.link):
            return self.shipped
        champion = Champion(os.path.realpath(self.link))
        if not os.path.isfile(champion.weights):
            raise NightError(f"{self.link} should lead to a champion, but there is no {champion.weights}; remove "
                             f"{self.link} to go on from what is shipped")
        return champion

    def entries(self):
        if not os.path.isdir(self.history_folder):
            return []
        return sorted(name for name in os.listdir(self.history_folder) if ".part-" not in name)

    def promote(self, champion, origin):
        """Adds a champion unless this very promotion is there already, and lets it reign."""
        for name in self.entries():
            if Champion(os.path.join(self.history_folder, name)).origin == origin:
                self.point_to(name)  # A kill may have come between the two steps.
                return name
        number = 1 + max((int(name.split("-")[0]) for name in self.entries()), default=0)
        name = f"{number:04}-{origin['night']}-{origin['generation']}"
        os.makedirs(self.history_folder, exist_ok=True)
        part = os.path.join(self.history_folder, f"{name}.part-{os.getpid()}")
        remove_tree(part, self.history_folder)
        os.makedirs(part)
        champion.copy_to(part)
        write_json(os.path.join(part, ORIGIN), origin)
        os.rename(part, os.path.join(self.history_folder, name))
        sync_folder(self.history_folder)
        self.point_to(name)
        return name

    def point_to(self, name):
        temporary = f"{self.link}.part-{os.getpid()}"
        if os.path.lexists(temporary):
            os.remove(temporary)
        os.symlink(os.path.join(HISTORY, name), temporary)
        os.replace(temporary, self.link)
        sync_folder(self.folder)

    def rollback(self):
        """Lets the champion before reign again; the first one stands on what is shipped."""
        if not os.path.lexists(self.link):
            raise NightError("nothing to roll back: the shipped champion reigns")
        now = os.path.basename(os.readlink(self.link))
        before = [name for name in self.entries() if name < now]
        if before:
            self.point_to(before[-1])
            return now, before[-1]
        os.remove(self.link)
        sync_folder(self.folder)
        return now, "what is shipped"
