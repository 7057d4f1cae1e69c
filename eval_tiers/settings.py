"""Every threshold and choice that can change a score, with its unit, range and default."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from eval_tiers.exceptions import Problem, UsageError


@dataclass(frozen=True, slots=True)
class Settings:
    """Frozen settings of a run; written whole into the summary and the manifest.

    Attributes
    ----------
    hallucination_threshold : float
        Share of predicted pairs outside the KG from which a chain counts as hallucinated
        (inclusive). In [0, 1], default .5.
    coverage_threshold : float
        Share of gold pairs that a chain must hold (``>=`` passes). In [0, 1], default .5.
    unknown_nodes : {"hallucinated", "unverifiable"}
        Whether a pair with a node that the KG doesn't know counts against the chain, or leaves
        the denominator.
    path_visit_limit : int
        Edge visits after which the search for simple paths gives up on a sample (then its
        implied answer is null). At least 1, default 10,000.
    go_null_draws : int
        Random gene sets a bin of the GO null. At least 10, default 1,000.
    baseline_sample : int
        Gold rows on which the KG shortest-path baseline is worked out (drawn by a hash of the
        key, so that order and shards don't matter). At least 0, default 1,000.
    seed : int
        Seed of everything that is drawn. At least 0, default 0.
    """

    hallucination_threshold: float = 0.5
    coverage_threshold: float = 0.5
    unknown_nodes: str = "hallucinated"
    path_visit_limit: int = 10_000
    go_null_draws: int = 1_000
    baseline_sample: int = 1_000
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("hallucination_threshold", "coverage_threshold"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise _out_of_range(name, value, "a number from 0 to 1")
        if self.unknown_nodes not in {"hallucinated", "unverifiable"}:
            raise _out_of_range(
                "unknown_nodes", self.unknown_nodes, "'hallucinated' or 'unverifiable'"
            )
        for name, least in (
            ("path_visit_limit", 1),
            ("go_null_draws", 10),
            ("baseline_sample", 0),
            ("seed", 0),
        ):
            value = getattr(self, name)
            if value < least:
                raise _out_of_range(name, value, f"a whole number from {least}")

    def as_dict(self) -> dict[str, object]:
        """Return the settings as a JSON object."""
        return asdict(self)


def _out_of_range(name: str, value: object, wanted: str) -> UsageError:
    return UsageError(Problem("setting-out-of-range", f"{name} is {value!r}", fix=f"give {wanted}"))
