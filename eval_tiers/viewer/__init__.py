"""A local web app over a run's tables: filter, search, sort, and look at single samples."""
