"""Checking one file or folder on its own: what it is, and what is wrong with it."""
