#!/usr/bin/env python3
"""What sharing bytes saves: plans models without and with the passes that let tensors share bytes, and prints a table.

usage: benchmarks/shared.py [--plan CALL] [--strategy CALL] MODEL...

A row is a model: the bytes of all arenas without these passes, how many fewer each of them needs alone and both together (a negative
number is what they need more, since parts and wholes live longer together), and the copies that need not be made any more, with the
bytes that they would move in one inference. Passes that are not installed have no column.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PASSES = ["elide-copies", "reuse-in-place"]
COPIES = "copies of tensors that need not be made any more"
BYTES = "bytes that these copies would move in one inference"


def stowage(*arguments):
    return subprocess.run([ROOT / "bin" / "stowage", *arguments], capture_output=True, text=True, check=False)


def installed():
    """Those of the passes that there are, in the order in which they run."""
    answer = stowage("list", "passes", "--json")
    if answer.returncode != 0:
        sys.exit(answer.stderr)
    names = [each["name"] for each in json.loads(answer.stdout)]
    return [name for name in PASSES if name in names]


def counted(statistics, summary):
    """What the passes have counted under a summary."""
    lines = (line.strip() for line in statistics.splitlines())
    return sum(int(line.split()[0].replace(",", "")) for line in lines if line.endswith("  " + summary))


def plan(model, passes, options):
    """The bytes of all arenas, then copies and bytes of copies that vanish; or why there is no plan."""
    pipeline = ",".join([*passes, options.plan])
    # A strategy of ours, since files may ask for several plans.
    answer = stowage("plan", model, "--pipeline", pipeline, "--strategy", options.strategy, "--statistics", "--json")
    if not answer.stdout.strip():
        return answer.stderr.strip().splitlines()[0]
    document = json.loads(answer.stdout)
    size = 0
    for method in document.get("methods", []):
        if "error" in method:
            return method["error"]["kind"]
        if any(finding["severity"] == "error" for finding in method["findings"]):
            sys.exit(f"{model}, {passes}: the plan has findings")
        size += sum(method["arena_sizes"])
    if "error" in document:
        return document["error"]["kind"]
    return size, counted(answer.stderr, COPIES), counted(answer.stderr, BYTES)


def number(value):
    return f"{value:,}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plan", default="plan", metavar="CALL", help="the pass that plans, such as plan{profile=tflm}")
    parser.add_argument("--strategy", default="greedy", metavar="CALL", help="how to place")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    passes = installed()
    variants = [[name] for name in passes] + ([passes] if len(passes) > 1 else [])
    titles = [f"{name} saves" for name in passes] + (["both save"] if len(passes) > 1 else [])
    columns = ["bytes", *titles, "copies removed", "bytes of copies"]
    print("| model | " + " | ".join(columns) + " |")
    print("| --- |" + " ---: |" * len(columns))
    for model in options.models:
        name = pathlib.Path(model).name.split(".")[0]
        plain = plan(model, [], options)
        if isinstance(plain, str):
            print(f"| {name} | {plain} |" + " |" * (len(columns) - 1))
            continue
        cells = [number(plain[0])]
        copies = moved = 0
        for variant in variants:
            shared = plan(model, variant, options)
            cells.append(shared if isinstance(shared, str) else number(plain[0] - shared[0]))
            if variant == PASSES[:1] and not isinstance(shared, str):
                copies, moved = shared[1:]
        print(f"| {name} | " + " | ".join([*cells, number(copies), number(moved)]) + " |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
