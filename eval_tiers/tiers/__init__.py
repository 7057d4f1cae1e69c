"""The tiers: pure functions over a batch of samples."""
