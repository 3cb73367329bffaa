"""The dashboard looked at by a real browser: scripts/check-dashboard."""
