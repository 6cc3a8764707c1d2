#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""clang-tidy over our own files in the compile database:  tidy.py ROOT BUILD [PREFIX...]

A file that passed is remembered under ~/.cache, as ccache does it: by the contents of all it includes (milliseconds),
else by its preprocessed text (so a changed comment costs a second, not a reading). Prefixes such as core/wire narrow it."""
import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

root, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
prefixes = tuple(sys.argv[3:])
tool = "clang-tidy-19"
# g++'s flags that clang does not know; g++'s precompiled header, which clang reads as the text it was made of; what
# libstdc++'s own templates use of its old parts (g++ reports our uses)
lenient = ["--extra-arg=-Wno-" + w for w in ("unknown-warning-option", "ignored-optimization-argument", "ignored-gch",
                                             "deprecated-declarations")]
parts = ("app", "ui", "core", "remote", "trainer")

cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lockstep-tidy"
cache.mkdir(parents=True, exist_ok=True)
version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
setting = version + (root / ".clang-tidy").read_text() + " ".join(lenient)


def portable(text: str) -> str:
    return text.replace(str(build), "BUILD").replace(str(root), "ROOT")


def local(text: str) -> str:
    return text.replace("BUILD", str(build), 1) if text.startswith("BUILD") else text.replace("ROOT", str(root), 1)


def digest(*words: str | bytes) -> str:
    return hashlib.sha256(b"\0".join(w if isinstance(w, bytes) else w.encode() for w in words)).hexdigest()


@functools.cache
def contents(path: str) -> str:
    try:
        return digest(Path(path).read_bytes())
    except OSError:
        return "gone"


class Unit:
    """One file and how it is compiled."""

    def __init__(self, entry: dict):
        self.file, self.folder = entry["file"], entry["directory"]
        self.name = os.path.relpath(self.file, root)
        words = shlex.split(entry["command"])
        output = words.index("-o")
        self.command = [w for w in words[:output] + words[output + 2 :] if w != "-c"]
        self.identity = digest(setting, portable(shlex.join(self.command)))
        self.manifest = cache / (self.identity + ".includes")

    def quickKey(self) -> str | None:
        if not self.manifest.exists():
            return None
        return digest(self.identity, *(contents(local(f)) for f in self.manifest.read_text().split("\n")))

    def slowKey(self) -> str:
        """Also writes down anew what the file includes."""
        with tempfile.NamedTemporaryFile() as rule:
            text = subprocess.run(self.command + ["-E", "-P", "-MD", "-MF", rule.name, "-MT", "x"],
                                  cwd=self.folder, capture_output=True, check=True).stdout
            files = Path(rule.name).read_text().replace("\\\n", " ").split()[1:]
        files = sorted({os.path.normpath(os.path.join(self.folder, f)) for f in files})
        self.manifest.write_text("\n".join(portable(f) for f in files))
        notes = "".join(line for f in files if f.startswith(str(root))
                        for line in re.findall(".*NOLINT.*", Path(f).read_text(errors="replace")))
        return digest(setting, notes, portable(text.decode(errors="replace")))


def check(unit: Unit) -> tuple[str, str | None, float]:
    """Name, None when remembered or else what was found, seconds."""
    quick = unit.quickKey()
    if quick and (cache / quick).exists():
        (cache / quick).touch()
        return unit.name, None, 0
    slow, start = cache / unit.slowKey(), time.monotonic()
    found = None
    if not slow.exists():
        run = subprocess.run([tool, "--quiet", "-p", str(build), *lenient, unit.file], capture_output=True, text=True)
        found = run.stdout + "\n".join(l for l in run.stderr.splitlines() if "warnings generated" not in l)
        if run.returncode != 0:
            return unit.name, found or f"{tool} ended with {run.returncode}", time.monotonic() - start
        found = ""
    slow.touch()
    (cache / (unit.quickKey() or slow.name)).touch()
    return unit.name, found, time.monotonic() - start


def main() -> int:
    month = time.time() - 30 * 24 * 3600
    for old in cache.iterdir():
        if old.stat().st_mtime < month:
            old.unlink(missing_ok=True)
    ours = tuple(str(root / part) + os.sep for part in parts)
    entries = {e["file"]: e for e in json.loads((build / "compile_commands.json").read_text())
               if e["file"].startswith(ours) and not e["file"].startswith(str(build))
               and os.path.relpath(e["file"], root).startswith(prefixes or ("",))}
    if not entries:
        print("no file of ours in the compile database")
        return 1
    failed, seconds = 0, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in concurrent.futures.as_completed([pool.submit(check, Unit(e)) for e in entries.values()]):
            name, found, took = done.result()
            if found is not None:
                seconds[name] = took
            if found:
                failed += 1
                print(f"== {name}\n{found}", flush=True)
    slowest = sorted(seconds, key=seconds.get, reverse=True)[:3]
    print(f"{len(entries)} files, {len(seconds)} read anew in {sum(seconds.values()):.0f} s of both cores together"
          + (f", longest {', '.join(f'{n} {seconds[n]:.0f} s' for n in slowest)}" if slowest else "")
          + f"; {failed} with findings")
    return int(failed > 0)


sys.exit(main())
