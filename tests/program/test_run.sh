#!/usr/bin/env bash
# tilescope run: files into arrays and arrays into files, and every file that does not fit.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
# shellcheck source=tests/program/numpy.sh
. "$source_dir/tests/program/numpy.sh"

mkdir -p box data/kernels/labs
printf 'precious' >box/old.npy
cp box/old.npy box/old.bin

declare -A arguments  # of the kernels of a lab
# kernel LAB VARIANT SHAPE BODY [WORD]: adds a variant; i is the thread's number in its grid.
kernel() {
    printf '\n//! %s %s\n__global__ void %s_%s(%s)\n{\n    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    %s\n}\n' \
        "${5-variant $2}" "$3" "$1" "$2" "${arguments[$1]}" "$4" >>"data/kernels/labs/$1.cu"
}

cat >data/kernels/labs/near.cu <<'END'
//! lab "Sums of neighbours"
//! file .bin n reach x -> n reach s
//! param n 1000 [1, 16777216]  numbers
//! param reach 2 [1, 8]  neighbours on each side
//! array x     in      [n] noise -100, 100
//! array s     out     [n] shown -500, 500
//! array copy  scratch [n]
#include "lab.h"

__host__ __device__ int sum(const int *x, int n, int reach, int i)
{
    int sum = 0;
    for (int j = max(i - reach, 0); j <= min(i + reach, n - 1); j++) sum += x[j];
    return sum;
}

//! reference s
__host__ __device__ double near_reference(const int *x, int n, int reach, long long i)
{
    return sum(x, n, reach, (int)i);
}
END
arguments[near]='int *s, const int *x, int *copy, int n, int reach'
kernel near naive 256x1 'if (i < n) s[i] = sum(x, n, reach, i);'
kernel near copy 256x1 'if (i < n) copy[i] = x[i];' untimed
kernel near prepared '256x1 prepare=near_copy' 'if (i < n) s[i] = sum(copy, n, reach, i);'
kernel near wrong 256x1 'if (i < n) s[i] = sum(x, n, reach, i) + (i == 3);'

cat >data/kernels/labs/table.cu <<'END'
//! lab "All types and shapes"
//! param rows 3 [1, 4096]  rows
//! param columns 5 [1, 4096]  columns
//! array bytes  in  [rows][columns] noise 0, 255
//! array a      in  [rows][columns] noise 0, 15
//! array order  in  [columns] permutation
//! array deep   in  [2][rows][columns] counted
//! array b      out [columns][rows]
//! array twice  out [columns]
//! array e      out [2][rows][columns]
//! array sums   out [2*rows]
#include "lab.h"

//! reference b
__host__ __device__ double b_reference(const float *a, int rows, int columns, long long i)
{
    return a[i % rows * columns + i / rows];
}

//! reference twice
__host__ __device__ double twice_reference(const unsigned int *order, long long i)
{
    return order[order[i]];
}

//! reference e
__host__ __device__ double e_reference(const int *deep, const unsigned char *bytes, int rows,
                                       int columns, long long i)
{
    return deep[i] + bytes[i % (rows * columns)];
}

//! reference sums
__host__ __device__ double sums_reference(const float *a, int rows, int columns, long long i)
{
    double sum = 0;
    for (int j = 0; j < columns; j++) sum += a[i % rows * columns + j];
    return sum;
}
END
arguments[table]='float *b, unsigned int *twice, int *e, float *sums, const unsigned char *bytes,
    const float *a, const unsigned int *order, const int *deep, int rows, int columns'
kernel table naive '64x1 domain=2*rows*columns' 'const int count = rows * columns;
    if (i < 2 * count) e[i] = deep[i] + bytes[i % count];
    if (i < count) b[i] = a[i % rows * columns + i / rows];
    if (i < columns) twice[i] = order[order[i]];
    float sum = 0;
    for (int j = 0; i < 2 * rows && j < columns; j++) sum += a[i % rows * columns + j];
    if (i < 2 * rows) sums[i] = sum;'

cat >data/kernels/labs/square.cu <<'END'
//! lab "Two arrays of one size"
//! param n 2 [1, 64]  rows and columns
//! param scale float 1 [0, 2]  of nothing
//! array a  in  [n][n] counted
//! array b  in  [n][n] counted
//! array c  out [n][n]
#include "lab.h"
END
shape='64x1 domain=n*n'
arguments[square]='int *c, const int *a, const int *b, int n'
kernel square naive "$shape" 'if (i < n * n) c[i] = a[i] + b[i];'
kernel square turned "$shape" 'if (i < n * n) c[i] = b[i] + a[i];'

cat >data/kernels/labs/mirror.cu <<'END'
//! lab "One array moves values, one adds them up"
//! param n 64 [1, 1024]  numbers
//! array a  in  [n] noise 0, 15
//! array b  out [n]
//! array s  out [1]
#include "lab.h"

//! reference b
__host__ __device__ double b_reference(const float *a, int n, long long i)
{
    return a[n - 1 - i];
}

//! reference s
__host__ __device__ double s_reference(const float *a, int n, long long i)
{
    double sum = i;
    for (int j = 0; j < n; j++) sum += a[j];
    return sum;
}

__device__ float sum(const float *a, int from, int to, int step)
{
    float sum = 0;
    for (int j = from; j != to; j += step) sum += a[j];
    return sum;
}
END
arguments[mirror]='float *b, float *s, const float *a, int n'
while IFS='|' read -r variant moved sum; do
    kernel mirror "$variant" 256x1 "if (i < n) b[i] = $moved; if (i == 0) s[0] = sum(a, $sum);"
done <<'END'
naive|a[n - 1 - i]|0, n, 1
backwards|a[n - 1 - i]|n - 1, -1, -1
short|a[n - 1 - i]|0, n - 1, 1
neighbour|a[(n - 1 - i) ^ 1]|0, n, 1
scaled|1.000001f * a[n - 1 - i]|0, n, 1
END

cat >data/kernels/labs/huge.cu <<'END'
//! lab "More than there is"
//! param n 1 [1, 536870912]  fours of numbers
//! array a        in      [4*n] counted
//! array b        out     [4*n]
//! array c float  out     [4*n]
//! array d float  out     [4*n]
//! array e float  scratch [4*n]
//! array f float  scratch [4*n]
//! array g float  scratch [4*n]
//! array h float  scratch [4*n]
#include "lab.h"
END
arguments[huge]='float *b, const float *a, int n'
kernel huge naive 256x1 'if (i < n) b[i] = a[i];'

# reference NAME BODY: a lab whose reference is that.
reference() {
    cat >"data/kernels/labs/$1.cu" <<END
//! lab "Its reference is wrong or slow"
//! param n 16384 [1, 16384]  numbers
//! array b out [n]
#include "lab.h"

extern "C" __device__ int access(const char *, int);
extern "C" __device__ int usleep(unsigned int);

//! reference b
__host__ __device__ double b_reference(int n, long long i)
{
    $2
}
END
    arguments[$1]='int *b, int n'
    kernel "$1" naive 256x1 'if (i < n) b[i] = i;'
}
reference endless 'volatile int k = n; while (k) continue; return i + k;'
reference stray 'return *(volatile int *)(i + 8);'
# Does not end while there is a file `held`: each element waits for a moment.
reference slow "if (i >= 2 && access(\"$work/held\", 0) == 0) usleep(50000);
    return i;"

# ---- what takes seconds, beside the rest ----

# A kernel that never ends: a terminal is told, and Ctrl-C ends the program. It sleeps until there
# is a file `awake`, so that it takes no processor from others.
sed "s,if (i < n) b\[i\] = i;,while (access(\"$work/awake\"\, 0)) usleep(20000); \\
    for (volatile int k = 0; i >= 0; k = 1 - k) continue;,
    s/slow_naive/caught_naive/" data/kernels/labs/slow.cu >data/kernels/labs/caught.cu
processes=()
for command in run render; do
    words="$command caught"
    mkdir $command
    [ $command = run ] || words+=' -o OUT.png'
    # bash ignores SIGINT in what it starts in the background
    (cd $command && exec env --default-signal=INT script -qec "echo \$\$ >../$command.process
        exec '$program' $words --data '$work/data' --device cpu" /dev/null >../$command.told) &
    processes[${#processes[@]}]=$!
done

# A reference that never ends, whose result would replace one file and make another.
mkdir kept
cp box/old.npy kept
kept=$(contents kept)
"$program" run --data "$work/data" endless --device cpu --out b=kept/old.npy --out b=kept/new.npy \
    >endless.out 2>endless.err &
endless=$!

prefix=(run --data "$work/data")
outputs=(box/new box/old)

# good ARGUMENTS…: the run is exact.
good() {
    works "$@"
    expect "run $* says nothing on stderr" is "$err" ''
    expect "run $* is exact" has "$out" ', exact'
}

# ints NUMBER…: as words of four bytes.
ints() {
    local n
    for n in "$@"; do
        # shellcheck disable=SC2059
        printf "$(printf '\\x%02x' $((n & 255)) $((n >> 8 & 255)) $((n >> 16 & 255)) $((n >> 24 & 255)))"
    done
}

# npy TYPE SHAPE: the head of a .npy file, as NumPy writes it.
npy() {
    local text="{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
    local length=$(((10 + ${#text} + 1 + 63) / 64 * 64 - 10))
    printf '\x93NUMPY\1\0'
    # shellcheck disable=SC2059
    printf "$(printf '\\x%02x' $((length & 255)) $((length >> 8)))"
    printf '%-*s\n' $((length - 1)) "$text"
}

# ---- .bin ----

ints 5 1 1 2 3 4 -5 >x.bin
ints 5 1 3 6 9 2 -1 >s.bin
for variant in naive prepared; do
    good near --variant $variant --device cpu --in x=x.bin --out s=out.bin --out x=again.bin
    expect "$variant: params come from the file" has "$out" "near $variant, n 5 · reach 1: "
    expect "$variant: the run tells of the files" has "$out" \
        $'\nout.bin: s, int 5\nagain.bin: x, int 5'
    expect "$variant: the sums are those of the file" cmp out.bin s.bin
    expect "$variant: the input is written as it was read" cmp again.bin x.bin
done

# Ends of the params, and --param that says the same.
ints 1 8 7 >one.bin
good near --device cpu --in x=one.bin --out s=out.bin --param n=1 --param reach=8
expect 'one number is its own sum' cmp out.bin one.bin

# The lab's own filling makes a course's data; 2^24 numbers go through in pieces.
good near --device cpu --param n=2^24 --out x=big.bin --out s=big_s.bin
expect 'a param may be a power, and is written with its digits' has "$out" ' n 16777216 · '
expect 'the file has its length' is "$(stat -c %s big.bin)" $((8 + 4 * 16777216))
good near --device cpu --in x=big.bin --out s=out.bin --out s=out.npy
expect 'a file that was filled gives what the filling gave' cmp out.bin big_s.bin
expect 'both forms hold the same elements' cmp <(tail -c 67108864 out.bin) \
    <(tail -c 67108864 out.npy)

# A file may be replaced by what was made of it.
cp x.bin both.bin
good near --device cpu --in x=both.bin --out s=both.bin
expect 'the input becomes the output' cmp both.bin s.bin

# ---- .npy ----

{ npy '<i4' '(5,)' && ints 1 2 3 4 -5; } >x.npy
{ npy '<i4' '(5,)' && ints 3 6 9 2 -1; } >s.npy
good near --device cpu --in x=x.npy --param reach=1 --out s=out.npy --out s=out.bin
expect 'the sums are a .npy file' cmp out.npy s.npy
expect 'and a .bin file' cmp out.bin s.bin

{ npy '|u1' '(2, 3)' && printf '\0\1\2\3\4\377'; } >bytes.npy
{ npy '<u4' '(3,)' && ints 2 0 1; } >order.npy
{ npy '<i4' '(2, 2, 3)' && ints 0 10 20 30 40 50 60 70 80 90 100 -1; } >deep.npy
{ npy '<f4' '(2, 3)' && ints 0x3f800000 0x40000000 0x40400000 0x40800000 0 0x41700000; } >a.npy
{ npy '<i4' '(2, 2, 3)' && ints 0 11 22 33 44 305 60 71 82 93 104 254; } >wanted_e.npy
{ npy '<u4' '(3,)' && ints 1 2 0; } >wanted_twice.npy
{ npy '<f4' '(3, 2)' && ints 0x3f800000 0x40800000 0x40000000 0 0x40400000 0x41700000; } >wanted_b.npy
{ npy '<f4' '(4,)' && ints 0x40c00000 0x41980000 0x40c00000 0x41980000; } >wanted_sums.npy
inputs=(--in bytes=bytes.npy --in order=order.npy --in deep=deep.npy --in a=a.npy)
good table --device cpu "${inputs[@]}" --out b=b.npy --out twice=twice.npy --out e=e.npy \
    --out sums=sums.npy
expect 'rows and columns come from the files' has "$out" 'rows 2 · columns 3:'
for array in b twice e sums; do
    expect "$array is right" cmp $array.npy wanted_$array.npy
done
good table --device cpu --in a=a.npy --out a=again.npy --out order=own_order.npy
expect 'an array without a file is filled by the lab' cmp again.npy a.npy
good table --device cpu --in order=own_order.npy --param rows=4

# Any bits of a float go through; sums of other floats than the lab's own may be rounded.
{ npy '<f4' '(1, 3)' && ints 0x7fc00001 0x7f800000 0x3dcccccd; } >odd.npy
works table --device cpu --in a=odd.npy --out b=b.npy --out a=again.npy
expect 'strange floats stay as they are' cmp again.npy odd.npy
expect 'and so do their copies' cmp <(tail -c 12 b.npy) <(tail -c 12 odd.npy)
{ npy '<f4' '(1, 3)' && ints 0x4c000000 0x3f800000 0xcc000000; } >large.npy  # 2^25, 1, -2^25
works table --device cpu --in a=large.npy --out sums=sums.npy
expect 'rounded sums are not called exact' has "$out" ', not exact'
expect 'and the run says why' has "$out" \
    "by less than 2: with other floats than small whole numbers, as in 'large.npy', sums depend on"
expect 'they are written' cmp <(tail -c 8 sums.npy) <(ints 0 0)

# With such floats only an order of additions explains a difference.
# shellcheck disable=SC2046
{ npy '<f4' '(64,)' && ints $(seq 1036831949 77777 $((1036831949 + 63 * 77777))); } >own.npy
for variant in naive backwards; do
    run mirror --device cpu --variant $variant --in a=own.npy --out s=order.npy
    expect "$variant: another order exits with 0 ($err)" is $status 0
    expect "$variant: another order is told" has "$out" "as in 'own.npy', sums depend on their order"
done
for variant in short neighbour scaled; do
    run mirror --device cpu --variant $variant --in a=own.npy --out b=$variant.npy
    expect "$variant: what is wrong with own floats exits with 1" is $status 1
    expect "$variant: what is wrong is called so" has "$err" "$variant is wrong: "
    expect "$variant: what is wrong is not excused ($out)" has "$out" ', wrong'
    expect_not "$variant: what is wrong is not written" test -e $variant.npy
done

if python=$(python_with_numpy); then
    "$python" -c 'if True:
        import numpy
        numpy.save("np_a.npy", numpy.arange(70 * 33, dtype=numpy.float32).reshape(70, 33) % 16)
        numpy.save("np_order.npy", numpy.arange(33, dtype=numpy.uint32)[::-1].copy())'
    good table --device cpu --in a=np_a.npy --in order=np_order.npy --out b=np_b.npy \
        --out twice=np_twice.npy --out e=np_e.npy --out bytes=np_bytes.npy
    expect 'NumPy reads what is written' "$python" -c 'if True:
        import numpy
        assert (numpy.load("np_b.npy") == numpy.load("np_a.npy").T).all()
        assert (numpy.load("np_twice.npy") == numpy.arange(33)).all()
        deep = numpy.arange(2 * 70 * 33, dtype=numpy.int32).reshape(2, 70, 33)
        e = numpy.load("np_e.npy")
        assert e.dtype == numpy.int32 and e.flags.c_contiguous
        assert (e == deep + numpy.load("np_bytes.npy")).all()'
else
    echo 'skipped: there is no NumPy to write and read files'
fi

# ---- refused ----

# refuse_in WORDS NAME=FILE: an input of near is refused.
refuse_in() { refuse 1 "$1" near --device cpu --in "$2" --out s=OUT.bin --out x=OUT.npy; }

# Words of the command line.
refuse 2 "near has no array 'y'; known are x, s, copy" near --in y=x.bin --out s=OUT.bin
refuse 2 "near has no array 't'" near --in x=x.bin --out t=OUT.bin
refuse 2 's is not an in array of near' near --in s=s.bin --out s=OUT.bin
refuse 2 'copy is scratch of near' near --out copy=OUT.npy
refuse 2 '--in is given twice for x' near --in x=x.bin --in x=x.npy --out s=OUT.bin
refuse 2 "two arrays would go into './box/" near --out x=OUT.bin --out s=./OUT.bin
refuse 2 "expected --in NAME=FILE" near --in x.bin --out s=OUT.bin
refuse 2 "expected --in NAME=FILE" near --in x= --out s=OUT.bin
refuse 2 "expected --out NAME=FILE" near --out =OUT.bin
refuse 2 "'x.txt' ends neither in .npy nor in .bin" near --in x=x.txt --out s=OUT.bin
refuse 2 'ends neither in .npy nor in .bin' near --in x=x.bin --out s=OUT
refuse 2 'table has no .bin files' table --in a=x.bin --out b=OUT.npy
refuse 2 'table has no .bin files' table --out b=OUT.bin
mapfile -t many < <(for i in {1..17}; do printf -- '--out\ns=box/%s.bin\n' "$i"; done)
refuse 2 '--out is given more than 16 times' near "${many[@]}"

# Files that are not there, or are not files.
mkdir folder.npy
mkfifo pipe.bin
refuse_in "cannot read 'none.bin': No such file" x=none.bin
refuse_in "cannot read 'folder.npy': it is a folder" x=folder.npy
refuse_in "cannot read 'pipe.bin': it is not a regular file" x=pipe.bin
refuse 1 "cannot write 'folder.npy': it is a folder" near --out s=OUT.bin --out s=folder.npy
refuse 1 "cannot write 'nowhere/s.bin': No such file" near --out s=OUT.bin --out s=nowhere/s.bin

# test_array_file and test_npy have what each form refuses, and test_params the limits of params.
: >empty.bin
{ cat x.bin && printf 'x'; } >long.bin
ints 5 9 1 2 3 4 5 >far.bin
{ npy '<i4' '(99999999999999,)'; } >endless.npy
refuse_in "cannot read 'empty.bin': it ends before n" x=empty.bin
refuse_in "'long.bin': it goes on for 1 bytes after the last element of x" x=long.bin
refuse_in "'far.bin': reach 9 is outside [1, 8] of near" x=far.bin
refuse_in "n 99999999999999 is outside [1, 16777216] of near" x=endless.npy
refuse 1 "n is 5 by 'x.bin', and 6 by '--param'" near --in x=x.bin --param n=6 --out s=OUT.bin

# Several files that do not fit to each other.
{ npy '<i4' '(2, 2)' && ints 1 2 3 4; } >two.npy
{ npy '<i4' '(3, 3)' && ints 1 2 3 4 5 6 7 8 9; } >three.npy
{ npy '<i4' '(2, 3)' && ints 1 2 3 4 5 6; } >oblong.npy
{ npy '<i4' '(3, 2, 3)' && ints {1..18}; } >three_deep.npy
refuse 1 "n is 3 by 'three.npy', and 2 by 'two.npy'" square --in a=two.npy --in b=three.npy --out c=OUT.npy
refuse 1 "its shape is (2, 3), and that of a is (2, 2)" square --in a=oblong.npy --out c=OUT.npy
refuse 1 "its shape is (3, 2, 3), and that of deep is (2, 2, 3)" table --in deep=three_deep.npy \
    --out e=OUT.npy
{ npy '<u4' '(5,)' && ints 0 1 2 3 4; } >order5.npy
refuse 1 "columns is 5 by 'order5.npy', and 3 by 'a.npy'" table --in a=a.npy --in order=order5.npy \
    --out b=OUT.npy
{ npy '<u4' '(3,)' && ints 2 3 1; } >index.npy
refuse 1 "'index.npy': element 1 of order is 3, not one of 0 to 2" table --device cpu \
    --in order=index.npy --out twice=OUT.npy

# Right, but for what is written behind the array.
sed 's/i < n) s\[i\] = sum(x, n, reach, i) + (i == 3)/i < n + 1) s[i] = i < n ? sum(x, n, reach, i) : 7/
    s/near_/beyond_/; s/"Sums of neighbours"/"Beyond"/; /^..! file/d' data/kernels/labs/near.cu \
    >data/kernels/labs/beyond.cu
printed='(beyond|near) wrong, .*, wrong' refuse 1 'wrong is wrong: it writes behind s; the memory lens names the line' beyond --device cpu \
    --variant wrong
run beyond --device cpu
expect 'the first variant of the same file is exact' has "$out" ', exact'
rm data/kernels/labs/beyond.cu

# Results that are wrong, and disks that are full.
printed='(beyond|near) wrong, .*, wrong' refuse 1 'wrong is wrong: s differs at 3 of row 0 by 1' near --device cpu --variant wrong \
    --in x=x.bin --out s=OUT.bin
before=$(contents box)
(ulimit -f 2048 && run near --device cpu --in x=big.bin --out x=box/old.npy \
    --out s=box/new.bin && echo "$status" >status && echo "$err" >said)
expect 'a full disk exits with 1' is "$(<status)" 1
expect 'a full disk is told in one line' is "$(<said)" \
    "tilescope: cannot write 'box/old.npy': File too large"
expect 'a full disk leaves everything as it was' is "$(contents box)" "$before"

# What a kernel prints comes on stderr, from both sides of a mistake.
printf '%s\n' '#define SAY(words) LOUD(words "\n")' '#define LOUD(...) printf(__VA_ARGS__)' >says.h
cat >says.cu <<'END'
#include "says.h"
//! lab "Says"
//! param n 200 [1, 1000]
//! array b out [n]
//! variant few 64x1
__global__ void few(int *b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = i;
    if (i == 70) printf("i = %d, %5.2f: %s%n\033[2J %d\n", i, 2.5, "a word");
}
//! variant many 64x1
__global__ void many(int *b, int n)
{
    for (int i = 0; i < n; i++) printf("%d\n", i);
}
//! variant fails 64x1
__global__ void fails(int *b)
{
    if (blockIdx.x || threadIdx.x) return;
    SAY("before");
    assert(!b);
}
END
works says.cu --device cpu --out b=b.npy
expect 'what it prints is on stderr, and harmless' is "$err" \
    'block \(1, 0, 0\) thread \(6, 0, 0\): i = 70,  2.50: a word\[missing]�\[2J \[missing]'
expect 'the result is alone on stdout' is "$out" 'says few, [^
]*
b.npy: b, [^
]*'
run says.cu --device cpu --variant many
expect 'lines are bounded' is "$(wc -l <<<"$err")" 201
expect 'and the others counted' is "${err##*$'\n'}" '… and 51000 more calls of printf'
run says.cu --device cpu --variant fails
expect 'what was printed before a fault is told' is "$status $err" '1 block \(0, 0, 0\) thread \(0, 0, 0\): before
tilescope: says.cu: fails: [^
]*assert\(!b\)'

# Without a reference, nothing is checked.
for variant in naive turned; do
    run square --device cpu --variant $variant --param n=30 --out c=$variant.npy
    expect "$variant is not checked" has "$status $out" ', not checked'
done
expect 'two right variants write the same' cmp turned.npy naive.npy

# A reference that a student has written.
wait $endless
expect 'a reference that never ends exits with 1' is $? 1
# On a busy machine it also says meanwhile how far it is.
expect 'and is told in one line' is "$(grep -v '^checking endless naive .*(Ctrl-C stops)$' endless.err)" \
    'tilescope: [^
]*the reference has not come back for 3 s[^
]*'
expect 'and nothing is written' is "$(contents kept)" "$kept"
if is_sanitized; then
    echo 'skipped: a sanitizer reports faults itself'
else
    refuse 1 'the reference reads or writes outside its memory' stray --device cpu --out b=OUT.npy
fi

# is_told WORDS FILE: they come to stand in the file.
is_told() {
    local tries=3000
    until grep -F "$1" "$2"; do
        ((tries-- > 0)) || return 1
        sleep 0.1
    done
}
: >held
script -qec "'$program' run --data '$work/data' slow --device cpu" /dev/null >told &
expect 'a terminal shows how far a long check is' is_told 'checking slow naive  ' told
rm held
wait $!
expect 'which then goes' has "$(<told)" 'slow naive, n 16384: '
rm told
: >held
env --default-signal=INT script -qec "echo \$\$ >slow.process
    exec '$program' run --data '$work/data' slow --device cpu" /dev/null >told &
expect 'a long check can be stopped' is_told 'checking slow naive  ' told
kill -INT "$(<slow.process)"
wait $!
expect 'Ctrl-C ends it' is $? 130
expect 'and erases how far it was' has "$(tr '\r' '\n' <told | tail -n 3)" \
    $'\e[Ktilescope: stopped while the result was checked'
rm held told slow.process
good slow --device cpu

for command in run render; do
    expect "$command says that its kernel has not come back" \
        is_told 'caught naive has not come back for 5 s  (Ctrl-C stops)' $command.told
done
: >awake
for command in run render; do
    kill -INT "$(<$command.process)"
    wait "${processes[0]}"
    expect "$command is ended by Ctrl-C" is $? 130
    expect "$command says that it was stopped" has "$(<$command.told)" 'stopped while a kernel ran'
    expect "$command leaves nothing behind" is "$(contents $command)" ''
    processes=("${processes[@]:1}")
done

# Memory.
if [ "$(awk '/^MemAvailable/ { print int($2 / 1e6) }' /proc/meminfo)" -lt 70 ]; then
    refuse 1 "of the host's memory, and there are" huge --device cpu --param n=2^29 --out b=OUT.npy
else
    echo 'skipped: this machine has the memory for 77 GB of arrays'
fi

# ---- the GPU, if there is one ----

if has_gpu; then
    good near --device cuda --in x=x.bin --out s=out.bin
    expect 'a GPU gives the sums of the file' cmp out.bin s.bin
    good near --device cuda --variant prepared --in x=big.bin --out s=out.bin --out x=again.bin
    expect 'a GPU gives the sums of 2^24 numbers' cmp out.bin big_s.bin
    expect 'and has read all of them' cmp again.bin big.bin
else
    echo 'skipped without a GPU: its arrays'
fi

finish
