"""Arrays in, numbers out: classification figures and intervals."""
