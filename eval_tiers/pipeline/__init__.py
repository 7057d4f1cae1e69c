"""Which tiers run, in which order, batch by batch, on how many processes."""
