#!/usr/bin/env bash
# tilescope grade: submissions with known verdicts, in every format, and every bad input.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
export DISPLAY=:99999          # nothing here may need one
export CUDA_VISIBLE_DEVICES=  # no test judges a time

find_python JSON
cd "$work" || exit 1
mkdir tmp box
export TMPDIR=$work/tmp

prefix=(grade)

# ---- known verdicts ----

right=$source_dir/tests/grade/right.cu

# verdict FILE STATUS WORDS [MORE]: how a file is graded; against: the lab.
verdict() {
    run "$1" --against "${against:-transpose}" --seed 7
    if [ "$1" = too_much_device_memory.cu ] && has "$out" 'lacks: limits of time and memory'; then
        echo "skipped: $1: this build runs without limits"
        return
    fi
    expect "$1 exits with $2" is "$status" "$2"
    expect "$1: why" has "$out" "$3"
    expect "$1: and more" has "$out" "${4:-}"
    expect "$1 says nothing on stderr" is "$err" ''
}
# write NAME VARIANT: NAME.cu, a kernel with the body on stdin, and the lines above; against: the lab.
write() {
    local header=lab.h arguments='float *b, const float *a, float *t, int rows, int columns'
    [ "${against:-transpose}" = transpose ] || { header=kernel.h && arguments='plane out, plane in'; }
    printf '#include "%s"\n%s\n//! variant mine %s\n__global__ void mine(%s)\n{\n' "$header" "${above:-}" "$2" \
        "$arguments" >"$1.cu"
    printf '    const int %c = blockIdx.%c * blockDim.%c + threadIdx.%c;\n' x x x x y y y y >>"$1.cu"
    { cat && echo '}'; } >>"$1.cu"
}
# mistake NAME VARIANT WORDS [MORE]: the same, which is not good.
mistake() {
    write "$1" "$2"
    verdict "$1.cu" 1 "$3" "${4:-}"
}

verdict "$right" 0 '10 of 10  goal: sectors at most 1.05 × copy' \
    'A kernel that works around the measuring can get the points for memory, races and goals unnoticed'
# What it prints is nobody's to read.
sed 's/^    const bool is_inside/    printf("row %d %n\\n", row);\n&/' "$right" >loud.cu
verdict loud.cu 0 '10 of 10  goal: sectors at most 1.05 × copy'
expect_not 'a submission prints nothing' has "$out" 'row '
sed 's/row + k < columns)/row + k < columns \/ 32 * 32)/' "$right" >wrong_at_edge.cu
verdict wrong_at_edge.cu 1 'b is wrong: at row 96, column 0 it is not written and should be 5 ('
sed 's/33/32/' "$right" >conflicts.cu
verdict conflicts.cu 1 'conflicts: 138880'
against=mean verdict "$source_dir/tests/grade/hidden_pixels.cu" 1 '✗     0 of 10  goal: sectors at most 2 × copy'
# Nobody waits until the array is full. Where threads run one after the other, it happens to be.
mistake race '32x8 shared=4*bw*bh' \
    'one thread writes in shared memory what another reads: put __syncthreads() between the two' <<'END'
    extern __shared__ float words[];
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    words[thread] = x < rows && y < columns ? a[x * columns + y] : 0;
    if (x < rows && y < columns) b[y * rows + x] = words[thread];
    if (thread == 255 && words[0] < 0) b[0] = 0;
END
# A barrier alone would not help where all threads write one element.
mistake one_element '32x8' 'one thread writes in global memory what another writes: give each an element of its own, or' <<'END'
    if (x + y * rows < rows * columns) b[0] = a[x];
END
# Half of the threads go past the barrier, and read what the other half has not written yet.
mistake barrier_in_branch '32x8 shared=4*bw*bh' \
    'not all threads reach a barrier: 128 wait, as thread 0; 128 never come, as thread 128' \
    'barrier_in_branch.cu:11: if (threadIdx.y < 4) __syncthreads();' <<'END'
    extern __shared__ float words[];
    const int thread = threadIdx.y * blockDim.x + threadIdx.x, opposite = thread ^ 128;
    words[thread] = x < rows && y < columns ? a[x * columns + y] : 0;
    if (threadIdx.y < 4) __syncthreads();
    if (x < rows && y < columns)
        b[y * rows + x] = words[opposite] > -1 ? words[thread] : 0;
END
# All blocks count in one word, and not atomically.
mistake race_in_global 32x8 'race_in_global.cu:9: t[0] += 1;' <<'END'
    if (x >= rows || y >= columns) return;
    t[0] += 1;
    b[y * rows + x] = a[x * columns + y];
END
# The threads beyond the last row and column read what lies behind the array.
mistake out_of_bounds '32x8 shared=4*bw*bh' 'reads a[' <<'END'
    extern __shared__ float words[];
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    words[thread] = a[x * columns + y];
    if (x < rows && y < columns) b[y * rows + x] = words[thread];
END
# The array is one row too small.
mistake outside_shared '32x8 shared=4*bw*(bh - 1)' 'writes tile[' <<'END'
    extern __shared__ float words[];
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (x >= rows || y >= columns) return;
    words[thread] = a[x * columns + y];
    b[y * rows + x] = words[thread];
END
# Each thread reads a sector of its row to find one number.
mistake too_slow 32x8 'sectors: 4.500 × copy' <<'END'
    if (x >= rows || y >= columns) return;
    float found = 0;
    for (int k = y & ~7; k < columns && k <= (y | 7); k++) {
        const float value = a[x * columns + k];
        if (k == y) found = value;
    }
    b[y * rows + x] = found;
END
# A block is one thread, so that each request is as small as it can be, and there are many of them.
mistake one_lane '1x1 domain=columns, rows' 'sectors: 8.000 × copy' <<'END'
    if (x < columns && y < rows) b[x * rows + y] = a[y * columns + x];
END
transpose='if (x < rows && y < columns) b[y * rows + x] = a[x * columns + y]'
mistake uncoalesced 32x8 'uncoalesced.cu:8: if (x < rows' <<<"$transpose;"
mistake does_not_compile 32x8 "does_not_compile.cu:8:66: expected ';' before '}' token" <<<"$transpose"
mistake endless 32x8 'is too long to be traced: it was stopped after' <<<"for (int i = 0; i < 4; i += rows < 0) $transpose;"
mistake too_much_memory '32x8 shared=1048576' \
    'needs 1048576 B of shared memory per block, the device allows 232448 B' <<<"extern __shared__ float words[]; words[threadIdx.x] = 0; $transpose;"
above='__constant__ float own[1 << 10][1 << 20];' mistake too_much_device_memory 32x8 \
    'cannot load the compiled kernels: failed to map segment' <<<"$transpose + own[0][y];"
above='extern "C" __device__ int open(const char *, int, int);
extern "C" __device__ long write(int, const void *, unsigned long);' mistake cheat_file 32x8 \
    'it asked the operating system for something, which no kernel does' \
    <<<"if (x == 0 && y == 0) write(open(\"expected.npy\", 66, 420), \"\", 1); $transpose;"
above=$'#define FILE "/etc/passwd"\n#include FILE' mistake cheat_include 32x8 \
    'cheat_include.cu:3:10: FILE is not one of the headers' <<<"$transpose;"
above='static __device__ int power(int i) { return i > 0 ? power(i - 1) * power(i / 2) : 1; }' \
    mistake calls_itself 32x8 "calls_itself.cu:2: 'power' calls itself: what it reads and writes cannot be counted" \
    <<<"$transpose * power(x % 4);"
# It works where its result is compared, and not where its time is taken.
above='static __device__ int launches;' mistake counts_launches 32x8 \
    'it writes a variable of the file, which keeps its value from one launch to the next' \
    'counts_launches.cu:9: if (x == 0 && y == 0) launches++;' <<END
    if (rows >= 1024 && launches > 0) return;
    if (x == 0 && y == 0) launches++;
    $transpose;
END
# What a thread does after that would stand in another one's log.
mistake changes_thread '32x8 domain=columns, rows' \
    "changes_thread.cu:8:17: assignment of member 'uint3::y' in read-only object" <<'END'
    threadIdx.y += 8;
    __syncthreads();
    if (x < columns && y < rows) b[x * rows + y] = a[y * columns + x];
END
# The last threads of a row write behind it, into the room before the next one.
against=invert mistake outside_row 32x8 'writes beside the rows of out, at byte' <<'END'
    if (y < out.height) out.pixels[y * out.pitch + x] = 255 - in.pixels[y * in.pitch + min(x, in.width - 1)];
END

status=0
"$program" grade "$right" --against transpose >/dev/full 2>"$work/err" ||
    status=$?
expect 'a report that cannot be printed is no bad submission' is "$status" 2

# A compiler may be a script around another one.
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v cc)" >wrapper
chmod 755 wrapper
TILESCOPE_CACHE='' CC=$work/wrapper run "$right" --against transpose --seed 7
expect 'a compiler that is a script: it is graded' is "$status" 0
expect 'a compiler that is a script: nothing is said' is "$err" ''
expect 'no folder is left behind' is "$(ls tmp)" ''

# A name that could be mistaken for something else.
odd=$'a\nb\e[31m \xff.cu'
cp does_not_compile.cu "$odd"
run "$odd" --against transpose --seed 7 --json odd.json
expect 'a file of any name is graded' is "$status" 1
expect 'its name is one line' is "$(sed -n '1s/, mine.*//p' "$work/out")" $'a b\xef\xbf\xbd\\[31m \xef\xbf\xbd.cu'
expect 'and JSON' "$python" -c 'import json; assert json.load(open("odd.json"))["file"] == "a b\ufffd[31m \ufffd.cu"'
rm -f "$odd"

# ---- an end before its time ----

# runs PATTERN: some process has been started with such words. Others end while they are read.
runs() { { cat /proc/[0-9]*/cmdline 2>/dev/null || :; } | tr "\0" " " | grep "$1" >/dev/null; }
# wait_until WORDS…: a condition, for as long as a compiler may take.
wait_until() {
    for ((i = 0; i < 600; i++)); do "$@" && return; sleep 0.1; done
    return 1
}
no_work() { ! runs "$TMPDIR/[t]ilescope-grade-"; }
{
    echo '#define A0 ;'  # a compiler takes hours for A40
    for i in {1..40}; do echo "#define A$i A$((i - 1)) A$((i - 1))"; done
} >defines
above=$(<defines) write endless_compile 32x8 <<<A40
"$program" grade endless_compile.cu --against transpose >/dev/null 2>err &
grader=$!
expect 'a compiler begins' wait_until runs "cc1.*$TMPDIR/[t]ilescope-grade-"
kill "$grader"
wait "$grader"
expect 'an interrupted grade ends as its signal says' is $? 143
expect 'its compiler ends with it' wait_until no_work
expect 'it says nothing' is "$(<err)" ''
expect 'it leaves no folder behind' is "$(ls tmp)" ''

# ---- reports ----

# It knows the sizes that tests usually have.
sizes='(rows == 512 && columns == 512) || (rows == 1 && columns == 1)'
write cheat_sizes 32x8 <<<"if ($sizes) $transpose;"
run cheat_sizes.cu --against transpose --seed 7 --json a.json
expect 'what is wrong at some sizes exits with 1' is "$status" 1
expect 'and gets no points for its speed' has "$out" 'no points, because not every result is exact'
expect 'the JSON is what an autograder reads' "$python" -c '
import json
g = json.load(open("a.json"))
tests = g["tests"]
assert g["seed"] == 7 and g["variant"] == "mine" and g["against"] == "transpose"
assert g["score"] == sum(t["score"] for t in tests) == 30
assert g["max_score"] == sum(t["max_score"] for t in tests) >= 90
assert [t["status"] for t in tests[:3]] == ["passed", "passed", "failed"]
assert "b is wrong: at row 0, column 0 it is not written" in tests[2]["output"]
assert "works around the measuring" in g["output"]'
expect 'the table has a row a test' is "$(grep -c '^[✓✗–] ' "$work/out")" 15
expect 'the table repeats the seed' grep -q -e '--seed 7' "$work/out"

# ---- files that are no kernels: no points, and the JSON is written all the same ----

while IFS='|' read -r name words; do
    rm -f no.json
    run "$name.cu" --against transpose --seed 7 --json no.json
    expect "$name exits with 1" is "$status" 1
    expect "$name: why" has "$out" "$words"
    expect "$name: the JSON says the same" "$python" -c '
import json, sys
g = json.load(open("no.json"))
assert g["score"] == 0 and g["max_score"] >= 90, g
assert sys.argv[1] in g["tests"][0]["output"], g' "$words"
done < <(
    printf '#include "lab.h"\n#include "a\0b"\n' >nul.cu
    printf 'a\0b' >nul_alone.cu
    : >empty.cu
    printf '\xff\xfe\n' >bytes.cu
    head -c 16777217 /dev/zero | tr '\0' ' ' >large.cu
    printf '%s\n' 'nul|it is not text' 'nul_alone|it is not text' 'empty|no line: //! variant name WxH' \
        'bytes|not UTF-8 text' 'large|it is larger than 16 MB'
)

# ---- goals: the best variant of a file meets them, the first one does not ----

while read -r file best naive; do
    run "$source_dir/kernels/$file.cu" --against "${file#*/}" --variant "$best"
    expect "$file $best passes: $out" is "$status" 0
    run "$source_dir/kernels/$file.cu" --against "${file#*/}" --variant "$naive"
    expect "$file $naive does not" is "$status" 1
    expect "$file $naive: why" grep -q '^✗ .*  goal: sectors at most' out
done <<'END'
labs/access bytes4 shuffled
labs/constants constant global
labs/histogram lanes global
labs/matmul wide naive
labs/matvec vector naive
labs/records vector aos
labs/sliding scanned naive
labs/softmax registers naive
labs/sum vector modulo
labs/transpose vector write_columns
END

# What goes wrong in the same way each time is told once.
sed 's/ a\[/ ((const float *)8)[/' "$right" >astray.cu
run astray.cu --against transpose
expect 'a kernel that faults each time says so once' \
    is "$(grep -c 'reads or writes outside its memory' out)" 1
expect 'and then that it is the same' grep -q '^ *the same as above$' out
expect 'its line is told' has "$out" 'reads address 0x'

# ---- a skeleton ----

run --skeleton matvec
expect 'a skeleton exits with 0' is "$status" 0
cp out skeleton.cu
run skeleton.cu --against matvec
expect 'a skeleton is graded' is "$status" 1
expect 'it compiles, and no more' has "$out" 'mine against matvec: 5 of '
# What a student writes first is right in it: a thread an element of a row, or of rows and columns.
run --skeleton access
sed '/^__global__/,$s|^}|    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
    if (i < n) b[i] = a[(long long)i * stride + offset];\n&|' out >row.cu
expect 'a skeleton names the threads' has "$out" \
    '// A launch has a thread for each element of b: x is its index; domain= says otherwise.'
against=access verdict row.cu 0 '10 of 10  has no race'
run --skeleton transpose
expect 'of rows, too' has "$out" \
    '// A launch has a thread for each element of b: x is its column, y its row; domain= says otherwise.'

# ---- what goes wrong ----

refuse 2 'grade wants one file' --against transpose
refuse 2 '--against says which' "$right"
refuse 2 "unknown filter or lab 'transpos'" "$right" --against transpos
refuse 2 "cannot read 'nowhere.cu'" nowhere.cu --against transpose
refuse 2 "right.cu has no variant 'best'" "$right" --against transpose --variant best
refuse 2 "seed 'x' is not a number" "$right" --against transpose --seed x
refuse 2 "cannot write 'no/a.json'" "$right" --against transpose --json no/a.json
cp "$right" mine.cu
ln -s mine.cu link.json
for place in mine.cu link.json; do
    refuse 2 "'$place' is the submission, which --json would overwrite" \
        mine.cu --against transpose --json $place
done
expect 'and it is still there' cmp -s mine.cu "$right"
ours='the grader cannot compile a file of its own:'
TMPDIR=$work/none refuse 2 "$ours Failed to create file" "$right" --against transpose
CC=no-such-compiler refuse 2 'no C++ compiler found' "$right" --against transpose
refuse 2 "unknown filter or lab 'tree'" --skeleton tree

finish
