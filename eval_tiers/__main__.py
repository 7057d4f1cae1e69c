"""``python -m eval_tiers``, and the command ``eval-tiers``."""

import sys


def run(program: str = "eval-tiers") -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it without a traceback."""
    try:
        from eval_tiers.cli.main import main

        main(program=program)
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted: nothing was written under a final name.\n")
        sys.exit(130)


if __name__ == "__main__":
    run("python -m eval_tiers")
