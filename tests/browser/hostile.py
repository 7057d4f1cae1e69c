"""Inputs whose every text tries to run, to fetch, to leave its place or not to be seen."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.running import ROOT, Record, write_lines

RUN = "window.__pwned=1"
# What has to be readable as it stands.
ATTACKS = (
    f"<script>{RUN};alert(1)</script>",
    f'</script><img src=x onerror="{RUN};alert(2)">',
    f'</title></textarea></style></svg><iframe src="javascript:parent.{RUN}"></iframe>',
    f'<svg xmlns="http://www.w3.org/2000/svg" onload="{RUN}"><script>{RUN}</script></svg>',
    f"[markdown](javascript:{RUN}) ![picture](http://evil.invalid/x.png)",
    f'<a href="javascript:{RUN}" id="filters">a link</a>',
    "{{7*7}} {% for x in y %} ${7*7} <%= 7*7 %> #{7*7}",
    f"' onmouseover='{RUN}' x='",
    f'" autofocus onfocus="{RUN}" x="',
    f"--><base href='http://evil.invalid/'><meta http-equiv='refresh' content='0;url=//evil.invalid'>{RUN}",
    "</style><style>body{display:none!important}*{background:url(http://evil.invalid/)}</style>",
    "&lt;b&gt; &amp;lt; &#60;script&#62;",
    "]]></script><!--<script>",
)
RIGHT_TO_LEFT = "עברית العربية"
# What can't be seen, or turns what follows: has to be spelt out.
UNSEEN = "\u202eabc\u2066def\x00ghi\x1b[31mjkl\x7fmno"
LONG_LINE = "A<b>" * 262_144
LONG_NAME = "W" * 300


def _texts() -> list[str]:
    return [*ATTACKS, RIGHT_TO_LEFT, UNSEEN, LONG_NAME, " ".join(ATTACKS)]


def hostile_chain_runs(folder: Path) -> list[list[object]]:
    """Write gold, graph and two models' answers; the options of ``eval`` for either."""
    questions = [*_texts(), LONG_LINE]
    split = 'id_test"><img src=x onerror=alert(5)>\u202e{{7*7}}'
    gold: list[Record] = []
    predicted: list[list[Record]] = [[], []]
    for place, text in enumerate(questions):
        name = text[:300]
        gold.append(
            {"id": f"{place:02d} {name}", "question": text, "answer": "up", "pert": name,
             "gene": f"E{name}", "path": [[name, "+", "B"], ["B", "+", f"E{name}"]], "cell_line": name}
        )  # fmt: skip
        chain = json.dumps([[name, "+", "B"], ["B", "-", name], ["B", "+", f"E{name}"]])
        for model, answer in enumerate(("up", "down")):
            said = f"<thinking>{text}</thinking><answer>{answer}</answer><triplet>{chain}</triplet>"
            predicted[model].append({"id": gold[-1]["id"], "output": said})
    # One whose answer is the attack, and one whose chain reads as nothing at all.
    gold.append({**gold[0], "id": "answer"})
    gold.append({**gold[0], "id": "chain"})
    for rows in predicted:
        rows.append({"id": "answer", "output": f"<answer>{ATTACKS[0]}</answer>"})
        rows.append(
            {"id": "chain", "output": f"<answer>up</answer><triplet>{ATTACKS[1]}</triplet>"}
        )
    for place, kind in enumerate(("chemical", "genetic")):
        name = f"{kind} <img src=x onerror=alert(6)>\u202e.jsonl"
        for one in gold[place::2]:
            one |= {"pert_type": kind, "perturbation_mode": "overexpression"}
        write_lines(folder / "gold" / split / name, gold[place::2])
        for model, rows in enumerate(predicted):
            write_lines(folder / f"model{model}" / split / name, rows[place::2])
    graph = folder / "kg<svg onload=alert(7)>.tsv"
    edges = [f"{one['pert']}\tB\t1" for one in gold if "\x00" not in one["pert"]]
    graph.write_text("\n".join(["source\ttarget\tsign", *edges]) + "\n", encoding="utf-8")
    sets = folder / "sets<b>.gmt"
    named = "\t".join(dict.fromkeys(one["pert"] for one in gold if "\x00" not in one["pert"]))
    sets.write_text(f"{ATTACKS[0]}\t\tB\t{named}\n{ATTACKS[1]}\t\tB\tC\n", encoding="utf-8")
    return [
        ["--gt-dir", "gold", "--pred-dir", f"model{model}", "--external-kg", graph.name,
         "--go-gmt", sets.name, "--tiers", 1, 2, 3, "--by", "cell_line"]
        for model in (0, 1)
    ]  # fmt: skip


def hostile_cited_runs(folder: Path) -> list[list[object]]:
    """Write a benchmark of the form of RR-10 and two models' answers, as above."""
    demo = ROOT / "eval_tiers" / "demo" / "rr10" / "synthetic_rr10_benchmark.jsonl"
    lines = demo.read_text(encoding="utf-8").rstrip("\n").split("\n")
    texts = [*_texts(), LONG_LINE]
    gold = [json.loads(line) for line in lines[: 2 * (len(texts) // 2 + 1)]]
    predicted: list[list[Record]] = [[], []]
    for place, item in enumerate(gold):
        text = texts[place % len(texts)]
        item["prompt"] = text
        for row in item["provenance"]:
            row["source_file"] = text[:200]
            row["contrast"] = text[:200]
        for model, answer in enumerate((item["expected"], "indeterminate")):
            evidence = [
                {"gene": text[:300], "direction": "up", "dataset": text[:300]},
                {"gene": item["gene"], "direction": text[:50], "dataset": "OSD-1"},
                {"gene": item["gene"], "direction": "up", "dataset": "OSD-99999"},
                *({"gene": item["gene"], "direction": "down", "dataset": row["osd"]}
                  for row in item["provenance"]),
            ]  # fmt: skip
            predicted[model].append(
                {"id": item["id"], "prediction": answer, "evidence": evidence, "explanation": text,
                 "output": f"{text} [[{text[:300]}, +, OSD-47]]"}
            )  # fmt: skip
    predicted[0][0]["prediction"] = ATTACKS[0]
    write_lines(folder / "gold<b>.jsonl", gold)
    options: list[list[object]] = []
    for model, rows in enumerate(predicted):
        name = f"model{model}<svg onload=alert(8)>.jsonl"
        write_lines(folder / name, rows)
        options.append(["--format", "rr10", "--gt-file", "gold<b>.jsonl", "--pred-file", name,
                        "--tiers", 1, 2, "--evidence", "expected"])  # fmt: skip
    return options
