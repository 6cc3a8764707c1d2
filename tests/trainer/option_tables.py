#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the trainer's options stand besides the program itself: trainer/README.md and core/traineroptions.tsv.

    option_tables.py TRAINER SOURCE_DIR [--write]

Without --write: says what differs and ends with 1. With it: makes both equal to `TRAINER --help-table`.
"""
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- options -->\n", "<!-- end of options -->\n"


def readme_table(rows):
    lines, part = [], None
    for row in rows:
        if row["part"] != part:
            part = row["part"]
            lines += [f"\n**{part}**\n", "\n", "| option | default | meaning |\n", "|---|---|---|\n"]
        meaning = row["meaning"].replace("|", "\\|")
        if row["choices"] and row["choices"] != "no yes":
            meaning += ": " + ", ".join(f"`{choice}`" for choice in row["choices"].split())
        default = f"`{row['default']}`" if row["default"] else ""
        lines.append(f"| `--{row['name']}` | {default} | {meaning} |\n")
    return "".join(lines) + "\n"


def main():
    trainer, source = sys.argv[1], pathlib.Path(sys.argv[2])
    table = subprocess.run([trainer, "--help-table"], check=True, capture_output=True, text=True).stdout
    names, *lines = [line.split("\t") for line in table.splitlines()]
    rows = [dict(zip(names, cells, strict=True)) for cells in lines]
    assert len(rows) > 50, table

    readme_path = source / "trainer" / "README.md"
    readme = readme_path.read_text(encoding="utf-8")
    head, rest = readme.split(BEGIN)
    tail = rest.split(END)[1]
    wanted = {readme_path: head + BEGIN + readme_table(rows) + END + tail, source / "core" / "traineroptions.tsv": table}
    wrong = [path for path, text in wanted.items() if path.read_text(encoding="utf-8") != text]
    if "--write" in sys.argv[3:]:
        for path in wrong:
            path.write_text(wanted[path], encoding="utf-8")
    elif wrong:
        sys.exit("\n".join(f"{path.relative_to(source)} is not what --help-table says" for path in wrong) +
                 "\ntests/trainer/option_tables.py TRAINER . --write makes it so")


if __name__ == "__main__":
    main()
