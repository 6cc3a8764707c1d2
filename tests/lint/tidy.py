#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""clang-tidy over our own files in the compile database. A file that passed is remembered by the hash of all it was
made of (preprocessed text, checks, tool), under ~/.cache, so that only what changed is read again."""
import concurrent.futures
import hashlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

root, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
tool = "clang-tidy-19"
cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lockstep-tidy"
cache.mkdir(parents=True, exist_ok=True)
version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
config = (root / ".clang-tidy").read_text()
ours = tuple(str(root / part) + os.sep for part in ("app", "ui", "core", "remote", "trainer"))


def key(entry: dict) -> str:
    words = entry["command"] if "command" in entry else shlex.join(entry["arguments"])
    words = [w for w in shlex.split(words) if not w.endswith("ccache") and "CCACHE_" not in w]
    while words and ("cmake" in os.path.basename(words[0]) or words[0] in ("-E", "env")):
        words.pop(0)
    output = words.index("-o")
    del words[output : output + 2]
    words = [w for w in words if w not in ("-c", "-MD")]
    text = subprocess.run(words + ["-E", "-P"], cwd=entry["directory"], capture_output=True, check=True).stdout
    text = text.replace(str(build).encode(), b"BUILD").replace(str(root).encode(), b"ROOT")
    return hashlib.sha256(b"\0".join([version.encode(), config.encode(), text])).hexdigest()


def check(entry: dict) -> tuple[str, str | None]:
    name = os.path.relpath(entry["file"], root)
    stamp = cache / key(entry)
    if stamp.exists():
        stamp.touch()
        return name, None
    run = subprocess.run(
        [tool, "--quiet", "-p", str(build), "--extra-arg=-Wno-unknown-warning-option",
         "--extra-arg=-Wno-ignored-optimization-argument", entry["file"]],
        capture_output=True, text=True)
    if run.returncode == 0:
        stamp.touch()
        return name, ""
    return name, run.stdout + "\n".join(l for l in run.stderr.splitlines() if "warnings generated" not in l)


entries = {e["file"]: e for e in json.loads((build / "compile_commands.json").read_text())
           if e["file"].startswith(ours) and not e["file"].startswith(str(build))}
assert entries, "no file of ours in the compile database"
failed = read = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for name, text in pool.map(check, entries.values()):
        if text:
            failed += 1
            print(f"== {name}\n{text}", flush=True)
        elif text == "":
            read += 1
print(f"{len(entries)} files, {read} read anew, {failed} with findings")
sys.exit(failed > 0)
