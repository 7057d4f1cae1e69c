"""``python -m eval_tiers``."""

from eval_tiers.cli.main import main

if __name__ == "__main__":
    main(program="python -m eval_tiers")
