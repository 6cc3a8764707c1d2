#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""clang-tidy over our own files in the compile database:  tidy.py ROOT BUILD [PREFIX...]

Files of a target are read a few at a time, for most of the work is their headers. A batch that passed is remembered
under ~/.cache, as ccache does it: by the contents of all it includes (milliseconds), else by its preprocessed text (so a
changed comment costs a second, not a reading). Prefixes such as core/wire narrow it."""
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
# libstdc++'s own templates use of its old parts (g++ reports our uses); names shadowed between the files of a batch
lenient = ["--extra-arg=-Wno-" + w for w in ("unknown-warning-option", "sign-conversion", "ignored-optimization-argument", "ignored-gch",
                                             "deprecated-declarations", "shadow")]
lenient += ["--checks=-bugprone-suspicious-include", r"--header-filter=/(app|ui|core|remote|trainer)/[^.]*\.(h|cpp)$"]
mostInBatch = 8
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


def ownNames(file: str) -> set[str]:
    """What a source defines for itself alone, as clang-format lays it out: names that start a line's declaration."""
    names = set()
    for line in Path(file).read_text().splitlines():
        head = re.match(r"(?:[A-Za-z\[][^=({;]*[\s*&])?(\w+)\s*(?:[=({;\[]|$)", line)
        if head and not line.startswith(("namespace", "using namespace")):
            names.add(head[1])
    return names


def compiled(entry: dict) -> tuple[str, str]:
    """The folder a file is compiled in and the command without the file itself."""
    words = shlex.split(entry["command"])
    output = words.index("-o")
    return entry["directory"], shlex.join(words[:output])


def batches(entries: list[dict]) -> list["Batch"]:
    """Files of one target whose own names don't meet are read as one: their headers, most of the work, are read once."""
    made: list[tuple[tuple[str, str], list[str], set[str]]] = []
    for entry in entries:
        how, names = compiled(entry), ownNames(entry["file"])
        for other, files, taken in made:
            if other == how and len(files) < mostInBatch and not taken & names:
                files.append(entry["file"])
                taken |= names
                break
        else:
            made.append((how, [entry["file"]], names))
    return [Batch(how, files) for how, files, _ in made]


class Batch:
    def __init__(self, how: tuple[str, str], files: list[str]):
        self.files, self.folder = files, how[0]
        self.name = os.path.relpath(files[0], root) + (f" and {len(files) - 1} more" if files[1:] else "")
        self.flags = shlex.split(how[1])[1:]
        self.compiler = shlex.split(how[1])[0]
        self.identity = digest(setting, portable(how[1]), portable("\n".join(files)))
        self.manifest = cache / (self.identity + ".includes")

    def write(self, place: str) -> str:
        source = Path(place) / "batch.cpp"
        source.write_text("".join(f'#include "{f}"\n' for f in self.files))
        return str(source)

    def quickKey(self) -> str | None:
        if not self.manifest.exists():
            return None
        return digest(self.identity, *(contents(local(f)) for f in self.manifest.read_text().split("\n")))

    def slowKey(self, source: str) -> str:
        """Also writes down anew what the files include."""
        rule = source + ".d"
        text = subprocess.run([self.compiler, *self.flags, "-E", "-P", "-MD", "-MF", rule, "-MT", "x", source],
                              cwd=self.folder, capture_output=True, check=True).stdout
        files = Path(rule).read_text().replace("\\\n", " ").split()[1:]
        files = sorted({os.path.normpath(os.path.join(self.folder, f)) for f in files if f != source})
        self.manifest.write_text("\n".join(portable(f) for f in files))
        notes = "".join(line for f in files if f.startswith(str(root))
                        for line in re.findall(".*NOLINT.*", Path(f).read_text(errors="replace")))
        return digest(setting, notes, portable(text.decode(errors="replace")))

    def read(self, source: str) -> str:
        """What was found, or nothing."""
        run = subprocess.run([tool, "--quiet", f"--config-file={root / '.clang-tidy'}", *lenient, source, "--", *self.flags],
                             cwd=self.folder, capture_output=True, text=True)
        said = run.stdout + "\n".join(l for l in run.stderr.splitlines() if "warnings generated" not in l)
        return (said or f"{tool} ended with {run.returncode}") if run.returncode != 0 else ""


def check(batch: Batch) -> tuple[Batch, str | None, float]:
    """What was found; None when it is remembered that nothing was. And the seconds it took."""
    quick = batch.quickKey()
    if quick and (cache / quick).exists():
        (cache / quick).touch()
        return batch, None, 0
    start, found = time.monotonic(), None
    with tempfile.TemporaryDirectory() as place:
        source = batch.write(place)
        slow = cache / batch.slowKey(source)
        if not slow.exists():
            found = batch.read(source)
        if not found:
            slow.touch()
            (cache / (batch.quickKey() or slow.name)).touch()
    return batch, found, time.monotonic() - start


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
        waiting = {pool.submit(check, batch) for batch in batches(list(entries.values()))}
        while waiting:
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for batch, found, took in (d.result() for d in done):
                if found is not None:
                    seconds[batch.name] = took
                if found and batch.files[1:] and "[clang-diagnostic-error]" in found:
                    # They don't compile together after all: one by one.
                    waiting |= {pool.submit(check, Batch((batch.folder, shlex.join([batch.compiler, *batch.flags])), [f]))
                                for f in batch.files}
                elif found:
                    failed += 1
                    print(f"== {batch.name}\n{found}", flush=True)
    slowest = sorted(seconds, key=seconds.get, reverse=True)[:3]
    print(f"{len(entries)} files, {len(seconds)} batches read anew in {sum(seconds.values()):.0f} s of all cores together"
          + (f", longest {', '.join(f'{n} {seconds[n]:.0f} s' for n in slowest)}" if slowest else "")
          + f"; {failed} with findings")
    return int(failed > 0)


sys.exit(main())
