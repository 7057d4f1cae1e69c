"""The subcommands of ``rubrics``: one a file, each with ``command``; imported when it is called."""
