"""The source of a night, frozen when it begins: what ships is compiled from what was judged, and the scripts of a night do
not change under it."""

import os
import shutil
import subprocess

from .files import remove_tree

FOLDER = "source"
# Left out where there is no git to say what belongs to the source.
NO_SOURCE = {".git", "target", "nights", "node_modules"}


def git(root, *arguments):
    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def commit_of(root):
    """The commit, with a `+` if files were changed since; empty where there is no git."""
    commit = git(root, "rev-parse", "HEAD")
    if commit is None or os.path.realpath((git(root, "rev-parse", "--show-toplevel") or "").strip()) != root:
        return ""
    return commit.strip() + ("+" if (git(root, "status", "--porcelain") or "").strip() else "")


def files_of(root):
    """All files of the source, changed ones and new ones as they are."""
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard") if commit_of(root) else None
    if listed is not None:
        return [name for name in listed.split("\0") if name and os.path.isfile(os.path.join(root, name))]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in NO_SOURCE]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return found


def freeze(root, folder):
    """Copies the source to a folder; what an earlier try left is replaced."""
    remove_tree(folder, os.path.dirname(folder))
    for name in files_of(root):
        target = os.path.join(folder, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(root, name), target, follow_symlinks=False)
