"""Gene sets: reading and checking GMT files, IDF profiles, the null of tier 3."""
