"""Tests of the night's Python: `python3 -m unittest discover --start-directory scripts --top-level-directory scripts`."""
