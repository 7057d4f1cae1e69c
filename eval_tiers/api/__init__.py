"""The public Python API: what the command line does, with frames for files."""

from eval_tiers.api.baselines import write_baselines
from eval_tiers.api.evaluations import Evaluation, WrittenRun, evaluate, write_evaluation
from eval_tiers.api.plans import make_plan
from eval_tiers.api.rescue import export_labels, export_rescue, merge_rescue
from eval_tiers.api.rubric_exchange import export_rubrics, merge_rubrics
from eval_tiers.api.rubrics import agree_rubrics, check_rubrics, compare_rubrics, score_rubrics
from eval_tiers.api.runs import compare_runs, enrich, relabel, view, write_report
from eval_tiers.api.submissions import (
    export_judge,
    export_suite_judge,
    grade_submission,
    grade_suite,
    pack_submission,
    validate_task,
)

__all__ = [
    "Evaluation",
    "WrittenRun",
    "agree_rubrics",
    "check_rubrics",
    "compare_rubrics",
    "compare_runs",
    "enrich",
    "evaluate",
    "export_judge",
    "export_labels",
    "export_rescue",
    "export_rubrics",
    "export_suite_judge",
    "grade_submission",
    "grade_suite",
    "make_plan",
    "merge_rescue",
    "merge_rubrics",
    "pack_submission",
    "relabel",
    "score_rubrics",
    "validate_task",
    "view",
    "write_baselines",
    "write_evaluation",
    "write_report",
]
