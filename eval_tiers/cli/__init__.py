"""The command line: one command a file, found by name and imported when it is called."""
