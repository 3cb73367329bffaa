"""Attacks on our own programs: one file a kind, run by scripts/attack."""
