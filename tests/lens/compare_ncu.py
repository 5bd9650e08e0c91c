"""Compares what the lens counts with what Nsight Compute counts on the GPU.

    compare_ncu.py PROGRAM LAUNCHER KERNELS CASES_FOLDER

Every variant of every filter and lab runs at three shapes. One process, LAUNCHER, launches them all
under ncu; `PROGRAM lens` counts them on the CPU. Requests and sectors must be equal,
and no more instructions may be told of than were executed. Of shared
memory wavefronts - conflicts must be; ncu itself adds a little to both (docs/lens.md), which is
printed as its excess. A variant whose kernel file says that the GPU's compiler does otherwise than
is written is printed, too, but may differ. Prints tables of what differs. Ends with 1 if anything
does that may not, and with 77 where ncu cannot count.
"""

import csv
import io
import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

SKIPPED = 77

# width, height, channels, radius, block
PICTURES = [
    (512, 512, 1, 1, None),
    (333, 77, 3, 4, None),
    (130, 66, 3, 2, "16x16"),
]

# Three choices of params for each lab. The CPU traces them, so they are small.
LABS = {
    "access": ["n=20011", "n=4096 stride=4 offset=3", "n=1000 stride=32"],
    "banks": ["n=4096 words=32", "n=1000 words=16 stride=2", "n=4096 words=32 stride=32"],
    "constants": ["n=4096 steps=8", "n=4096 steps=8 distinct=4", "n=1000 steps=8 distinct=32"],
    "histogram": ["n=65536", "n=20011 spread=16", "n=65536 spread=1"],
    "matmul": ["n=64", "n=67", "n=128"],
    "matvec": ["rows=64 columns=64", "rows=67 columns=131", "rows=256 columns=200"],
    "records": ["n=1000 m=2", "n=512 fields=5 m=2", "n=1000 fields=1 m=2"],
    "scan": ["n=20011", "n=65536", "n=1000"],
    "sliding": ["n=20011", "n=20011 n_f=3", "n=65536 n_f=100"],
    "softmax": ["rows=64 columns=64", "rows=67 columns=131", "rows=5 columns=4608"],
    "stencil": ["n=32 planes=8", "n=67 planes=33", "n=160 planes=2"],
    "sum": ["n=65536", "n=20011", "n=1000"],
    "transpose": ["rows=64 columns=64", "rows=67 columns=131", "rows=256 columns=128"],
}

# How often a block looks at what others have published depends on how far they are.
WAITING = [("scan", "look_back")]

GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
BANK_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
TEXTURE = "l1tex__t_{}_pipe_tex_mem_texture.sum"
REPLAYS = "sm__idc_divergent_instruction_replays.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"


# What is compared: its name, how it is read from the lens's JSON, and the counters that are added
# up or, with a minus, taken off.
COUNTERS = [
    ("global load requests", lambda p: field(p, "global_load", "requests"),
     ["+" + GLOBAL.format("requests", "ld")]),
    ("global load sectors", lambda p: field(p, "global_load", "sectors"),
     ["+" + GLOBAL.format("sectors", "ld")]),
    ("global store requests", lambda p: field(p, "global_store", "requests"),
     ["+" + GLOBAL.format("requests", "st")]),
    ("global store sectors", lambda p: field(p, "global_store", "sectors"),
     ["+" + GLOBAL.format("sectors", "st")]),
    ("global atomic requests", lambda p: field(p, "global_atomic", "requests"),
     ["+" + GLOBAL.format("requests", "red"), "+" + GLOBAL.format("requests", "atom")]),
    ("shared load wavefronts - conflicts",
     lambda p: field(p, "shared_load", "wavefronts") - field(p, "shared_load", "conflicts"),
     ["+" + WAVEFRONTS.format("ld"), "-" + BANK_CONFLICTS.format("ld")]),
    ("shared store wavefronts - conflicts",
     lambda p: field(p, "shared_store", "wavefronts") - field(p, "shared_store", "conflicts"),
     ["+" + WAVEFRONTS.format("st"), "-" + BANK_CONFLICTS.format("st")]),
    ("texture requests", lambda p: field(p, "texture", "requests"),
     ["+" + TEXTURE.format("requests")]),
    ("texture sectors", lambda p: field(p, "texture", "sectors"),
     ["+" + TEXTURE.format("sectors")]),
    ("constant words - requests",
     lambda p: field(p, "constant", "words") - field(p, "constant", "requests"), ["+" + REPLAYS]),
]

# Not judged: the hardware's own counts of conflicts are noisy, and no rule is exact for atomics at
# addresses that the data chose.
NOT_JUDGED = [
    ("global atomic sectors", lambda p: field(p, "global_atomic", "sectors"),
     ["+" + GLOBAL.format("sectors", "red"), "+" + GLOBAL.format("sectors", "atom")]),
    ("shared load conflicts", lambda p: field(p, "shared_load", "conflicts"),
     ["+" + BANK_CONFLICTS.format("ld")]),
    ("shared store conflicts", lambda p: field(p, "shared_store", "conflicts"),
     ["+" + BANK_CONFLICTS.format("st")]),
]


# Instructions are counted in what NVRTC and nvdisasm make of a file.
ARCH = ["--arch", "sm_90"] if shutil.which("nvdisasm") else []


def field(launch, group, name):
    return launch.get(group, {}).get(name, 0)


# ---- cases ----


def write_png(path, width, height, channels):
    """A picture of no pattern: addresses must not depend on it."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    row = bytes((i * 37 + i * i // 11) % 256 for i in range(width * channels))
    rows = b"".join(b"\0" + row[y % 7:] + row[:y % 7] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                   chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Case:
    def __init__(self, picture, filter_name, variant, block, params):
        self.picture, self.filter, self.variant = picture, filter_name, variant["name"]
        self.block, self.params, self.compiled = block, params, variant["compiled"]

    def line(self):
        return " ".join([self.picture or "-", self.filter, self.variant, self.block or "-"] +
                        self.params)

    def lens_arguments(self):
        arguments = [self.picture, "--filter", self.filter] if self.picture else [self.filter]
        arguments += ["--variant", self.variant]
        if self.block:
            arguments += ["--block", self.block]
        for param in self.params:
            arguments += ["--param", param]
        return arguments

    def name(self):
        shape = os.path.basename(self.picture or "").replace(".png", "")
        words = [self.filter, self.variant, shape, self.block or ""] + self.params
        return " ".join(word for word in words if word)


def cases_of_filter(f, folder):
    params = {p["name"] for p in f["params"]}
    for width, height, channels, radius, block in PICTURES:
        path = os.path.join(folder, f"{width}x{height}x{channels}.png")
        if not os.path.exists(path):
            write_png(path, width, height, channels)
        for variant in traced(f):
            if variant["prepare"] == "pack" and channels == 1:
                continue
            chosen = [f"radius={radius}"] if "radius" in params else []
            is_own = block is None or variant["fixed"] or 16 % variant["multiple_of"]
            yield Case(path, f["name"], variant, None if is_own else block, chosen)


def traced(f):
    """Its variants but for libraries, which the lens does not trace."""
    return [v for v in f["variants"] if "library" not in v]


def cases_of(filters, folder):
    for f in filters:
        if f["name"] not in LABS:
            yield from cases_of_filter(f, folder)
            continue
        for params in LABS[f["name"]]:
            for variant in traced(f):
                if (f["name"], variant["name"]) in WAITING:
                    continue
                yield Case(None, f["name"], variant, None, params.split())


# ---- the two sides ----


def run_lens(program, data, case):
    """The passes of `tilescope lens`, or the line in which it refuses."""
    done = subprocess.run([program, "lens"] + case.lens_arguments() +
                          ["--format", "json", "--data", data] + ARCH, capture_output=True,
                          text=True)
    if done.returncode:
        return done.stderr.strip() or f"exit code {done.returncode}"
    return json.loads(done.stdout)["passes"]


def run_ncu(launcher, kernels, cases, folder):
    """The launches that were made, as (case, pass, kernel), and ncu's rows for them."""
    path, report, log = (os.path.join(folder, name) for name in ("cases", "report", "ncu.log"))
    with open(path, "w") as file:
        file.writelines(case.line() + "\n" for case in cases)
    metrics = sorted({name[1:] for _, _, names in COUNTERS + NOT_JUDGED for name in names} |
                     {INSTRUCTIONS})
    done = subprocess.run(
        ["ncu", "--log-file", log, "--profile-from-start", "off", "--clock-control", "none",
         "--cache-control", "none", "--metrics", ",".join(metrics), "--force-overwrite",
         "--export", report, launcher, "cuda", kernels, path], capture_output=True, text=True)
    if done.returncode == SKIPPED or "skipped: " in done.stdout:
        skip(re.search("skipped: .*", done.stdout).group())
    with open(log) as file:
        said = done.stdout + done.stderr + file.read()
    refusal = re.search("(?m)^.*(ERR_NVGPUCTRPERM|Failed to initialize the profiler).*$", said)
    if refusal:
        skip("skipped: ncu cannot count here: " + refusal.group())
    if not os.path.exists(report + ".ncu-rep"):
        sys.exit("ncu has counted nothing:\n" + said)
    rows = subprocess.run(["ncu", "--import", report + ".ncu-rep", "--csv", "--page", "raw",
                           "--print-units", "base"], capture_output=True, text=True, check=True)
    return launches_of(done.stdout), rows_of(rows.stdout)


def skip(why):
    print(why)
    sys.exit(SKIPPED)


def launches_of(text):
    launches, refused = [], {}
    for line in text.splitlines():
        launched = re.fullmatch(r"(\d+) (\d+) (\w+)", line)
        if launched:
            launches.append((int(launched[1]), int(launched[2]), launched[3]))
        said = re.fullmatch(r"(\d+) refused (.*)", line)
        if said:
            refused[int(said[1])] = said[2]
    return launches, refused


def rows_of(text):
    """The rows as dictionaries; the second line of ncu's table has the units."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        sys.exit("no table:\n" + text)
    table = list(csv.reader(io.StringIO("\n".join(lines[start:]))))
    return [dict(zip(table[0], row)) for row in table[2:] if len(row) == len(table[0])]


def counted(row, names):
    total = 0
    for name in names:
        text = row[name[1:]].replace(",", "")
        total += (1 if name[0] == "+" else -1) * round(float(text))
    return total


# ---- comparing ----


def numbers(text):
    return [int(n) for n in re.findall(r"\d+", str(text))]


class Comparison:
    def __init__(self):
        self.equal, self.launches = 0, 0
        self.differences, self.compiled, self.excess = [], [], []
        self.parts = []  # of the executed instructions, those that the lens tells of

    def differs(self, case, kernel, what, ours, theirs):
        to = self.compiled if case.compiled else self.differences
        to.append((case.name(), kernel, what, str(ours), str(theirs)))

    def compare(self, case, launch, row):
        self.launches += 1
        kernel = launch["kernel"]
        if numbers(launch["grid"]) != numbers(row["Grid Size"]):
            self.differs(case, kernel, "grid", launch["grid"], row["Grid Size"])
            return
        for what, ours_of, names in COUNTERS:
            ours, theirs = ours_of(launch), counted(row, names)
            if ours == theirs:
                self.equal += 1
            else:
                self.differs(case, kernel, what, ours, theirs)
        ours, theirs = launch.get("instructions"), counted(row, ["+" + INSTRUCTIONS])
        if ours is not None:
            self.parts.append((ours / theirs, case.name(), kernel))
            if ours > theirs:
                self.differs(case, kernel, "instructions at least", ours, theirs)
        for what, ours_of, names in NOT_JUDGED:
            ours, theirs = ours_of(launch), counted(row, names)
            if ours != theirs:
                self.excess.append((case.name(), kernel, what, str(ours), str(theirs)))


def compare_all(cases, lens, launches, refused, rows):
    c = Comparison()
    for i, why in refused.items():
        if not isinstance(lens[i], str):
            c.differs(cases[i], "", "refused on the GPU alone", "", why)
    for i, said in enumerate(lens):
        if isinstance(said, str) and i not in refused:
            c.differs(cases[i], "", "refused by the lens alone", said, "")
    if len(launches) != len(rows):
        sys.exit(f"ncu counted {len(rows)} launches of {len(launches)}")
    for (i, number, kernel), row in zip(launches, rows):
        if row["Kernel Name"].split("(")[0] != f"launch_{kernel}":
            sys.exit(f"ncu counted {row['Kernel Name']} in place of {kernel}")
        if isinstance(lens[i], str):
            continue
        c.compare(cases[i], lens[i][number], row)
    return c


def print_table(title, rows):
    print(f"\n{title}\n\n| case | kernel | counter | lens | ncu |\n|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def main():
    program, launcher, kernels, folder = sys.argv[1:]
    listed = subprocess.run([program, "list", "--format", "json", "--data", os.path.dirname(kernels)],
                            capture_output=True, text=True, check=True)
    cases = list(cases_of(json.loads(listed.stdout)["filters"], folder))
    (launches, refused), rows = run_ncu(launcher, kernels, cases, folder)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        lens = list(pool.map(lambda case: run_lens(program, os.path.dirname(kernels), case), cases))
    c = compare_all(cases, lens, launches, refused, rows)
    print(f"{len(cases)} cases, {c.launches} launches, {c.equal} counts equal, "
          f"{len(c.differences)} different, {len(c.compiled)} compiled otherwise")
    if c.parts:
        parts = sorted(part for part, _, _ in c.parts)
        tenths = statistics.quantiles(parts, n=10)
        print(f"instructions told of, as parts of those executed, {len(parts)} launches: median "
              f"{statistics.median(parts):.2f}, a tenth below {tenths[0]:.2f}, a tenth above "
              f"{tenths[-1]:.2f}")
    else:
        print("no instructions are compared: there is no nvdisasm")
    if c.differences:
        print_table("Differences", c.differences)
    if c.compiled:
        print_table("Compiled otherwise than written", c.compiled)
        for case in {(case.filter, case.variant): case for case in cases if case.compiled}.values():
            print(f"{case.filter} {case.variant}: the compiler {case.compiled}")
    if c.excess:
        print_table("Not judged", c.excess)
    sys.exit(1 if c.differences or not c.launches else 0)


if __name__ == "__main__":
    main()
