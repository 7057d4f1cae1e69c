"""The public Python API: what the command line does, with frames for files."""

from eval_tiers.api.baselines import write_baselines
from eval_tiers.api.evaluations import Evaluation, WrittenRun, evaluate, write_evaluation
from eval_tiers.api.plans import make_plan
from eval_tiers.api.rescue import export_labels, export_rescue, merge_rescue
from eval_tiers.api.runs import compare_runs, enrich, relabel, view, write_report

__all__ = [
    "Evaluation",
    "WrittenRun",
    "compare_runs",
    "enrich",
    "evaluate",
    "export_labels",
    "export_rescue",
    "make_plan",
    "merge_rescue",
    "relabel",
    "view",
    "write_baselines",
    "write_evaluation",
    "write_report",
]
