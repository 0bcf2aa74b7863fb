#!/usr/bin/env python3
"""What banks hold: plans models for targets with several strategies, and prints the table of docs/memory-maps.md.

usage: benchmarks/banks.py --target NAME... MODEL...

A row is a model on a target: the bytes of each bank under banked-greedy, which gives ExecuTorch's plans to the byte, the bytes that it
spills, and those that the best other strategy spills. Spilled are the bytes of all banks but the first.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OTHERS = [f"first-fit{{order={order}}}" for order in ("size", "area", "lifetime", "start")]


def stowage(*arguments):
    return subprocess.run([ROOT / "bin" / "stowage", *arguments], capture_output=True, text=True, check=False)


def banks(target):
    """The names of the banks by mem_id, in order of preference."""
    answer = stowage("list", "targets", target, "--json")
    if answer.returncode != 0:
        sys.exit(answer.stderr)
    document = json.loads(answer.stdout)[0]
    return {bank["mem_id"]: bank["name"] for bank in document["banks"] if "mem_id" in bank}


def arenas(model, target, strategy):
    """The bytes of each arena by mem_id, summed over the methods; or why there is no plan."""
    answer = stowage("plan", model, "--target", target, "--strategy", strategy, "--json")
    if not answer.stdout.strip():
        return answer.stderr.strip().splitlines()[0]
    document = json.loads(answer.stdout)
    sizes = {}
    for method in document.get("methods", []):
        if "error" in method:
            return method["error"]["kind"]
        if any(finding["severity"] == "error" for finding in method["findings"]):
            sys.exit(f"{model}, {target}, {strategy}: the plan has findings")
        for mem_id, size in enumerate(method["arena_sizes"]):
            sizes[mem_id] = sizes.get(mem_id, 0) + size
    return document["error"]["kind"] if "error" in document else sizes


def spilled(sizes, names):
    return sum(sizes.get(mem_id, 0) for mem_id in list(names)[1:])


def number(value):
    return f"{value:,}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    print("| model | target | bytes per bank, banked-greedy | spilled | least spilled | by |")
    print("| --- | --- | --- | ---: | ---: | --- |")
    for model in options.models:
        name = pathlib.Path(model).name.split(".")[0]
        for target in options.target:
            names = banks(target)
            oracle = arenas(model, target, "banked-greedy")
            fits = isinstance(oracle, dict)
            per_bank = ", ".join(f"{names[k]} {number(oracle[k])}" for k in names if oracle.get(k)) if fits else oracle
            best, by = (spilled(oracle, names), "banked-greedy") if fits else (None, "")
            for strategy in OTHERS:
                sizes = arenas(model, target, strategy)
                if isinstance(sizes, dict) and (best is None or spilled(sizes, names) < best):
                    best, by = spilled(sizes, names), strategy
            least = "" if best is None else number(best)
            print(f"| {name} | {target} | {per_bank or 'none'} | {number(spilled(oracle, names)) if fits else ''} | {least} | {by} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
