"""Putting results into words: pure functions from a summary to text."""
