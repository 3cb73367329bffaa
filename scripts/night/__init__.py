"""The night: stages from self-play to a shipped engine, and the two ways to launch them."""
