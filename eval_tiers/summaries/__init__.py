"""Mergeable tallies of scored batches, and the figures that they give."""
