"""Tier 4 over the files of a run: its hard cases as questions, and the replies merged back."""
