"""Tier 4: hard cases as questions to an examiner, and what its replies make of them. Pure."""
