#!/usr/bin/env bash
# A CUDA file that lies anywhere, with notes and without: every command takes it in place of a filter
# or lab, and adopt writes down what was guessed of it.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
# shellcheck source=tests/program/numpy.sh
. "$source_dir/tests/program/numpy.sh"

mkdir box own 'own/a folder.cu'
cat >own/Saxpy-2.cu <<'END'
#include <stdio.h>
#include "twice.cuh"

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = TWICE * a * x[i];
}

int main(void)
{
    saxpy<<<4096, 256>>>(1 << 20, 2.0f, NULL, NULL);
    printf("done\n");
    return 0;
}
END
echo '#define TWICE 2' >own/twice.cuh
cat >own/mean.cu <<'END'
//! Halves a picture.
//! filter "Half"
//! variant naive 32x8
#include "kernel.h"
__global__ void half_naive(plane out, plane in)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out.width && y < out.height) out.pixels[y * out.pitch + x] = load(in, x, y) / 2;
}
END
"$probe" noise a.png 37 23 grey 1
"$probe" noise flat.png 8 8 grey 2

# ---- without notes ----

works run own/Saxpy-2.cu --device cpu --param n=1000 --param a=3 --out y=y.npy
expect 'its name is the file'"'"'s, as it is written' has "$out" 'Saxpy-2 saxpy, n 1000 · a 3: '
expect 'nobody has said what is right' has "$out" 'not checked'
expect 'each guess is a line' is "$(grep -c ': guessed: ' <<<"$err")" 5
expect 'a guess says why' has "$err" 'tilescope: own/Saxpy-2.cu: guessed: n is a size'
expect 'the last line says what to do' is "${err##*$'\n'}" 'tilescope: .tilescope adopt own/Saxpy-2.cu. writes them down'
works run own/Saxpy-2.cu --in x=y.npy --out y=z.npy --device cpu  # both are as long as n
works lens own/Saxpy-2.cu
expect 'as the hardware does' is "$(grep 'global load' <<<"$out" | xargs)" 'global load 2048 32.0 262144 8192 8192'
echo '__global__ void k(int *a, int n) { if (threadIdx.x < n) a[0] = missing; }' >own/mistaken.cu
run lens own/mistaken.cu
expect 'a mistake has its line' has "$err" $'\n    __global__ void k(int *a, int n) { if'
run lens --filter own/Saxpy-2.cu --param n=320
expect '--filter may name it, too, and a is what main gives' has "$out" 'Saxpy-2 saxpy, n 320 · a 2'
works bench own/Saxpy-2.cu --device cpu --param n=1024 --budget 1e6 -q
expect 'as a lab' has "$out" 'saxpy'
works render own/Saxpy-2.cu --device cpu -o s.png
# Of two kernels with out arrays of their own, each is counted by the elements that it writes.
cat >own/two.cu <<'END'
__global__ void longer(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 2 * x[i];
}
__global__ void shorter(float *y, const float *z, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < width && j < height) y[j * width + i] = z[j * width + i];
}
END
run lens own/two.cu --all
for name in longer shorter; do
    expect "sectors of $name are per element of its own" is \
        "$(awk -v name=$name '$1 == name { print $4 }' <<<"$out")" 0.250
done

# A texture object reads its array: the edge's outside, and nothing outside of a fetch.
cat >own/textures.cu <<'END'
//! lab "Textures"
//! param w 37 [1, 999]
//! param h 11 [1, 999]
//! array tex float in [h][w] noise 0, 255
//! array out out [h][w] shown 0, 9999
//! reference out
__host__ __device__ double wanted(const float *tex, int w, int h, long long i)
{
    const int x = i % w, y = i / w, left = x > 0 ? x - 1 : 0, down = y < h - 1 ? y + 1 : y;
    return tex[down * w + left] + (i >= 5 ? 3 * tex[i - 5] : 0);
}
//! variant both 16x16
__global__ void both(float *out, cudaTextureObject_t tex, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    out[y * w + x] = tex2D<float>(tex, x - 0.25f, y + 1.5f) + 3 * tex1Dfetch<float>(tex, y * w + x - 5);
}
END
works run own/textures.cu --device cpu
expect 'as CUDA says' has "$out" ', exact'
works bench own/textures.cu --device cpu --budget 1e6 -q
expect 'and in the fast text' is "$(awk '/^textures/ { print $NF }' <<<"$out")" exact
works lens own/textures.cu
expect 'it loads from global memory' has "$out" 'global load'
# An array of structs of numbers: 12 bytes apart, a warp's ints lie in twelve sectors, its reals in
# one array in four.
cat >own/particles.cu <<'END'
//! lab "Particles"
//! param n 64 [1, 4096]
//! tolerance 0.5 absolute
//! array before particle in [n] noise 1, 9
//! array p out [n] from before shown 0, 9
struct particle { float x, y; int kind; };
//! reference p
__host__ __device__ double wanted(const particle *before, long long i)
{
    const particle q = before[i / 3];
    return i % 3 == 0 ? q.x + 1 : i % 3 == 1 ? q.y : q.kind + (q.kind > 4);
}
//! variant move 64x1 domain=n
__global__ void move(particle *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].kind += p[i].kind > 4, p[i].x += 1.25f;
}
END
works run own/particles.cu --device cpu --out p=p.npy --out before=before.npy
expect 'reals are within the tolerance' has "$out" 'within ±0.5, max 0.25'
expect 'a record is plain bytes' has "$(head -c 64 p.npy | tr -d '\0')" "'|V12'"
works run own/particles.cu --device cpu --in before=before.npy --out p=again.npy
expect 'which are read, too' is "$(cksum <again.npy)" "$(cksum <p.npy)"
works lens own/particles.cu
expect 'what begins as another array does so for the lens' is \
    "$(grep -E 'global (load|store)' <<<"$out" | xargs)" \
    'global load 4 32.0 512 48 16 global store 4 32.0 512 48 16'
works bench own/particles.cu --device cpu --budget 1e6 -q
expect 'all elements are checked' has "$out" 'within ±0.5'
# A struct of four words that is aligned as these are is copied in four requests, one that is aligned
# as itself in one.
cat >own/copied.cu <<'END'
//! lab "Copied"
//! array p body in [64] noise 1, 9
//! array q body out [64] shown 0, 9
struct body { float x, y, z; int kind; };
//! reference q
__host__ __device__ double wanted(const body *p, long long i)
{
    const body q = p[i / 4];
    return i % 4 == 0 ? q.x : i % 4 == 1 ? q.y : i % 4 == 2 ? q.z : q.kind;
}
//! variant copy 64x1 domain=64
__global__ void copy(body *q, const body *p)
{
    q[threadIdx.x] = p[threadIdx.x];
}
END
works lens own/copied.cu
expect 'a struct is copied in its words' is \
    "$(grep -E 'global (load|store)' <<<"$out" | xargs)" \
    'global load 8 32.0 1024 128 32 global store 8 32.0 1024 128 32'
echo '//! goal sectors <= 1 ideal' >>own/copied.cu
run grade own/copied.cu --against own/copied.cu
expect 'for a goal, too' has "$out" 'sectors: 4.000'
sed -i 's/struct body/struct __align__(16) body/' own/copied.cu
works lens own/copied.cu
expect 'or in one' is "$(grep -E 'global (load|store)' <<<"$out" | xargs)" \
    'global load 2 32.0 1024 32 32 global store 2 32.0 1024 32 32'
sed -i 's/kind += p/kind += 1 - p/' own/particles.cu
run run own/particles.cu --device cpu
expect 'ints are exact' has "$out$err" 'differs'

sed -i 's/kind += 1 - p/kind += p/' own/particles.cu
{ sed '1,/^struct/!d; /^struct/!d' own/particles.cu; sed -n '/variant move/,$p' own/particles.cu; } >own/student.cu
run grade own/student.cu --against own/particles.cu --seed 1
expect 'a right one is graded so' has "$out" 'within ±0.5'
sed -i 's/p\[i\].kind > 4,/i % 7,/' own/student.cu
run grade own/student.cu --against own/particles.cu --seed 1
expect 'a wrong int is found' has "$out" 'p is wrong: at p[1].kind it is'
# The structs are the lab's: a file may take its arrays as other types, or by another name, and
# must not declare another struct of that name.
cat >own/floats.cu <<'END'
//! variant move 64x1 domain=n
__global__ void move(float *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int *const kind = (int *)p + 3 * i + 2;
    *kind += *kind > 4, p[3 * i] += 1.25f;
}
END
run grade own/floats.cu --against own/particles.cu --seed 1
expect "a struct may be taken as numbers ($out)" is "$status" 0
for members in 'float x; int kind; float y;' 'float x, y, z; int kind;' 'float x; int kind;'; do
    { echo "struct particle { $members };"; sed -n '/variant move/,$p' own/particles.cu; } >own/other.cu
    run grade own/other.cu --against own/particles.cu --seed 1
    expect "other members ($members) are told" has "$out" \
        "other.cu: 'particle' must be as in particles: struct particle { float x, y; int kind; };"
done
# A file to begin with has the structs, however they are declared.
sed 's/^struct.*/struct __align__(4) spot { float x, y; };\n'`
    `'typedef struct { spot at; int kind;  \/\/ }\n} particle;/; s/q\.x/q.at.x/; s/q\.y/q.at.y/; s/p\[i\]\.x/p[i].at.x/' own/particles.cu >own/nested.cu
run run own/nested.cu --device cpu
expect "structs in structs ($err)" has "$out" 'within ±0.5'
run grade --skeleton own/nested.cu
expect "a skeleton of a file that lies anywhere ($err)" is "$status" 0
sed -n '/variant move/,$p' own/nested.cu | sed 's/variant move/variant mine/' >kernel.txt
{ sed '/^\/\/ What this/,$d' out; cat kernel.txt; } >own/begun.cu
run grade own/begun.cu --against own/nested.cu --seed 1
expect "its structs are the lab's ($out)" is "$status" 0
sed -i 's/float x, y;/float x, *y;/' own/particles.cu
run run own/particles.cu --device cpu
expect 'a pointer is none' has "$err" "and structs of them; particle has a pointer 'y'"
run list own/Saxpy-2.cu
expect 'it is listed alone' is "$(grep -v '^ ' <<<"$out")" 'Saxpy-2  Saxpy-2'
works render own/Saxpy-2.cu --sheet --budget 1e6 --device cpu -o sheet.png
run render --restore s.png own/Saxpy-2.cu --device cpu -o again.png
expect "a picture of it is restored with it ($err)" same s.png again.png

# ---- three dimensions ----

cat >own/volume.cu <<'END'
__global__ void sums(int *out, const int *in, int width, int height, int depth)
{
    __shared__ int above[5][4][8];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    int z = blockIdx.z * 4 + threadIdx.z, i = (z * height + y) * width + x;
    bool is_in = x < width && y < height;
    above[threadIdx.z][threadIdx.y][threadIdx.x] = is_in && z < depth ? in[i] : 0;
    if (threadIdx.z == 3)
        above[4][threadIdx.y][threadIdx.x] = is_in && z + 1 < depth ? in[i + height * width] : 0;
    __syncthreads();
    if (is_in && z < depth)
        out[i] = above[threadIdx.z][threadIdx.y][threadIdx.x] +
                 above[threadIdx.z + 1][threadIdx.y][threadIdx.x];
}

int main(void)
{
    dim3 block(8, 4, 4);
    sums<<<dim3(5, 5, 5), block>>>(NULL, NULL, 37, 18, 19);
}
END
works adopt own/volume.cu -o own/volume.cu
expect 'a domain of three sides' has "$(cat own/volume.cu)" ' 8x4x4 of sums domain=width, height, depth'
works list own/volume.cu
expect 'a block has layers in the list' grep -q ' sums  *8×4×4' "$work/out"
works list own/volume.cu --format json
expect 'and in JSON' has "$(tr -d '[:space:]' <"$work/out")" '"block":[8,4,4]'
works bench own/volume.cu --device cpu --budget 1e6 -q
expect 'and in a table of times' has "$out" '8×4×4'
works lens own/volume.cu --block-at 0,0
expect 'and in that of the lens' grep -Eq ': block 0, 0, 0 of [0-9]+×[0-9]+×[0-9]+ blocks of 8×4×4 threads$' "$work/out"
works render own/volume.cu --device cpu -o volume.png
expect 'and in a picture' is "$(chunk volume.png block)" 8x4x4
cat >>own/volume.cu <<'END'
//! reference out
__host__ __device__ double sum_of(const int *in, int width, int height, int depth, long long i)
{
    return in[i] + (i / height / width + 1 < depth ? in[i + height * width] : 0);
}
END
sizes='--param width=37 --param height=18 --param depth=19'
# shellcheck disable=SC2086
works run own/volume.cu $sizes --device cpu
expect 'it is right on the CPU' has "$out" ', exact'
# shellcheck disable=SC2086
works lens own/volume.cu $sizes
expect 'each thread in the volume writes once' has "$out" 'sums: 5×5×5 blocks of 8×4×4 threads'
expect 'and has its lane' is "$(grep 'global store' <<<"$out" | xargs | cut -d' ' -f3-5)" \
    '475 26.6 50616'
# shellcheck disable=SC2086
works bench own/volume.cu $sizes --device cpu --budget 1e6 -q
expect 'the fast text is right, too' is "$(awk '/^volume/ { print $NF }' <<<"$out")" exact

# ---- a clock, and what a void pointer points to ----

cat >own/clocks.cu <<'END'
__global__ void ticks(void *later, int n)
{
    const clock_t start = clock();
    int *out = (int *)later;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long stop = clock64();
    if (i < n) out[i] = start > 0 && stop >= start;
}
END
works adopt own/clocks.cu -o own/clocks.cu
printf '//! reference later\n__host__ __device__ double one(long long i) { return 1; }\n' >>own/clocks.cu
works run own/clocks.cu --device cpu
expect 'time goes on' has "$out" ', exact'
works bench own/clocks.cu --device cpu --budget 1e6 -q
expect 'and in the fast text' is "$(awk '/^clocks/ { print $NF }' <<<"$out")" exact

# An unsigned bit-field is divided as an int, wherever it is declared.
echo 'struct bits { unsigned f : 5; };' >own/bits.h
cat >own/quotients.cu <<'END'
//! lab "Quotients"
//! param n 4096 [1, 65536]
//! array a int in [n] noise -9, -1
//! array b int out [n] shown -31, 0
#include "bits.h"
//! reference b
__host__ __device__ double quotient(const int *a, long long i) { return i % 32 / a[i]; }
//! variant divide 256x1 domain=n
__global__ void divide(int *b, const int *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    bits s;
    s.f = i;
    if (i < n) b[i] = s.f / a[i];
}
END
works bench own/quotients.cu --device cpu --budget 1e6 -q
expect 'in the fast text, too' is "$(awk '/^quotients/ { print $NF }' <<<"$out")" exact

# ---- names of files and arguments, and copies by the way ----

cat >'own/copy by the way.v2 (1).cu' <<'END'
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
__device__ int of(int gridDim, float radius) { return gridDim + (radius > 0); }
__global__ void copy(float *b, const float *a, int n, float radius)
{
    __shared__ float4 tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) __pipeline_memcpy_async(&tile[threadIdx.x], &((const float4 *)a)[i], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __nanosleep(100);
    if (4 * i + 3 < n) ((float4 *)b)[i] = tile[threadIdx.x];
    if (i < n % 4) __pipeline_memcpy_async(&b[n - 1 - i], &a[n - 1 - i], 4, of(3, radius));
}
__global__ void add(half *s, const half *h, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < umin(n, 64u)) atomicAdd(&s[0], h[i]);
}
int main() { copy<<<16, 64>>>(b, a, 4096, 0.5f); add<<<1, 64>>>(s, h, 64); }
END
python=$(python_with_numpy)
"$python" - <<'END'
import numpy
numpy.save('a.npy', numpy.arange(1, 1031, dtype='float32'))
numpy.save('h.npy', numpy.full(64, 0.5, 'float16'))
END
works run 'own/copy by the way.v2 (1).cu' --variant copy --in a=a.npy --out b=b.npy --device cpu
expect 'what cannot stand in a name is _' has "$out" 'copy_by_the_way_v2__1_ copy, n 1030 · radius 0.5'
expect 'all but what the zeros take' \
    is "$("$python" -c 'import numpy; b = numpy.load("b.npy"); print(b[:1028].sum(), b[1028:].sum())')" '528906.0 0.0'
works run 'own/copy by the way.v2 (1).cu' --variant add --in h=h.npy --out s=s.npy --device cpu
expect 'halves are added' is "$("$python" -c 'import numpy; print(numpy.load("s.npy")[0])')" 32.0

# Products of small whole numbers are exact, in either layout of b.
cat >own/wmma.cu <<'END'
//! lab "Product"
//! param n 64 [16, 256 step 16]
//! array A half in [n][n] noise 0, 7
//! array B half in [n][n] noise 0, 7
//! array C float out [n][n] shown 0, 3000
#include <mma.h>
using namespace nvcuda;
//! reference C
__host__ __device__ double wanted(const half *A, const half *B, int n, long long i)
{
    double sum = 1;
    for (int k = 0; k < n; k++) sum += (float)A[i / n * n + k] * (float)B[k * n + i % n];
    return 2 * sum;
}
template <class layout>
__device__ void product(const half *A, const half *B, float *C, int n, int column)
{
    const int row = blockIdx.y * 16;
    const bool is_by_rows = sizeof(layout) == sizeof(int);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> turned;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    __shared__ half tiles[2][16 * 16];
    half *const tile = tiles[threadIdx.z];
    wmma::fill_fragment(c, 1.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(a, A + row * n + k, n);
        for (int i = threadIdx.x; i < 256; i += 32) tile[i] = B[(k + i % 16) * n + column + i / 16];
        __syncwarp();
        wmma::load_matrix_sync(b, B + k * n + column, n);
        wmma::load_matrix_sync(turned, tile, 16);
        if (is_by_rows)
            wmma::mma_sync(c, a, b, c);
        else
            wmma::mma_sync(c, a, turned, c);
        __syncwarp();
    }
    for (int i = 0; i < c.num_elements; i++) c.x[i] *= 2;
    wmma::store_matrix_sync(C + row * n + column, c, n, wmma::mem_row_major);
}
//! variant rows 32x1 domain=n, n columns=16 rows=16 block=fixed
__global__ void product_rows(const half *A, const half *B, float *C, int n)
{
    product<int>(A, B, C, n, blockIdx.x * 16);
}
//! variant layers 32x1x2 domain=n, n columns=32 rows=16 block=fixed
__global__ void product_layers(const half *A, const half *B, float *C, int n)
{
    product<int>(A, B, C, n, blockIdx.x * 32 + threadIdx.z * 16);
}
//! variant turned 32x1 domain=n, n columns=16 rows=16 block=fixed
__global__ void product_turned(const half *A, const half *B, float *C, int n)
{
    product<char>(A, B, C, n, blockIdx.x * 16);
}
END
for variant in rows layers turned; do
    works run own/wmma.cu --variant $variant --device cpu
    expect 'tensor cores'"'"' words are exact' has "$out" ', exact'
done

# ---- random numbers, and a struct by value ----

cat >own/random.cu <<'END'
#include <curand_kernel.h>
typedef struct { int rows, columns; float *of; } Matrix;
__global__ void begin(curandState *state, unsigned long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, i, 0, &state[i]);
}
__global__ void draw(curandState_t *state, Matrix m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m.rows * m.columns) m.of[i] = curand_uniform(&state[i]);
}
int main() { begin<<<64, 64>>>(s, 42); }
END
run adopt own/random.cu
expect 'states are structs' has "$out" 'state curandState out [m_rows][m_columns]'
expect 'a matrix is its members' has "$out" 'm_of float '
cat >own/uniform.cu <<'END'
//! lab "Uniform"
//! param n 65536 [1, 65536]
//! array low int out [n] shown 0, 1
//! reference low
#include <curand_kernel.h>
struct Range { int n; int *low; };
__host__ __device__ double one(long long i) { return 1; }
//! variant draw 64x1 of draw(r=range)
__global__ void draw(Range r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState own;
    curand_init(1, i, 2, &own);
    float x = curand_uniform(&own), y = curand_normal(&own);
    if (i < r.n) r.low[i] = x > 0 && x <= 1 && y > -7 && y < 7;
}
END
run run own/uniform.cu --device cpu
expect 'a member that is nowhere' has "$err" "wants 'range_n', which is no param and no array of the file"
sed -i 's/ of draw(r=range)//; s/param n/param r_n/; s/low int out .n/r_low int out [r_n/' own/uniform.cu
sed -i 's/reference low/reference r_low/' own/uniform.cu
works run own/uniform.cu --device cpu
expect 'numbers are where they should be' has "$out" ', exact'
for file in uniform clocks volume random; do  # what NVRTC makes of the same words
    run sass "own/$file.cu"
    if [[ $err == *'no CUDA'* || $err == *'cannot load'* ]]; then
        echo "skipped: $err"
    else
        expect "$file.cu is compiled for a GPU, too ($err)" is $status 0
    fi
done

# ---- what main puts into constant memory ----

cat >own/convolve.cu <<'END'
#define RADIUS 2
#define WIDTH (2 * RADIUS + 1)
__constant__ float mask[WIDTH][WIDTH];
__global__ void convolve(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        int row = y + i / WIDTH - RADIUS, column = x + i % WIDTH - RADIUS;
        if (row >= 0 && row < height && column >= 0 && column < width)
            sum += in[row * width + column] * mask[i / WIDTH][i % WIDTH];
    }
    out[y * width + x] = sum;
}
END
run run own/convolve.cu --device cpu --out out=sums.npy
expect "coefficients are proposed ($err)" has "$err" 'mask[25] is noise from 0 to 1'
expect 'and filled, so that sums are no zeros' [ "$(tail -c +129 sums.npy | tr -d '\0' | wc -c)" -gt 0 ]

# ---- what courses begin with ----

cat >own/first.cu <<'END'
#define RADIUS 3
#define BLOCK_SIZE 16
extern __shared__ int sums[];
__global__ void stencil(int *in, int *out)
{
    __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x, lindex = threadIdx.x + RADIUS;
    temp[lindex] = in[gindex];
    if (threadIdx.x < RADIUS) {
        temp[lindex - RADIUS] = in[gindex - RADIUS];
        temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE];
    }
    __syncthreads();
    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[lindex + offset];
    out[gindex] = result;
}
__global__ void sum(const int *in, int *part)
{
    sums[threadIdx.x] = in[blockIdx.x * blockDim.x * 2 + threadIdx.x] +
                        in[blockIdx.x * blockDim.x * 2 + threadIdx.x + blockDim.x];
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    }
    if (threadIdx.x == 0) part[blockIdx.x] = sums[0];
}
__global__ void hello() { printf("Hello from %d\n", threadIdx.x); }
int main()
{
    stencil<<<4096 / BLOCK_SIZE, BLOCK_SIZE>>>(d_in + RADIUS, d_out + RADIUS);
    sum<<<16, 32, 32 * sizeof(int)>>>(d_in, d_out);
    hello<<<1, 3>>>();
}
END
for variant in stencil sum; do
    run lens own/first.cu --variant $variant
    expect "$variant stays inside its arrays ($err)" is "$status$(grep -c outside <<<"$out$err")" 00
done
expect 'a block adds 64 numbers and writes one' has "$out" '64×1 blocks of 32×1 threads'
run run own/first.cu --variant hello --device cpu
expect "a kernel without arguments says hello thrice ($err)" is "$(grep -c Hello <<<"$err")" 3

# ---- headers that include each other ----

# Each twice, so that a compiler would read 2^200 of them.
printf '#include "%s.h"\n' right right >own/left.h
printf '#include "%s.h"\n' other left left >own/right.h
printf '#ifndef OTHER\n#define OTHER\n#include "other.h"\n#endif\n' >own/other.h
{ echo '#include "left.h"'; cat own/first.cu; } >own/circle.cu
run run own/circle.cu --variant hello --device cpu
expect "are refused where they do ($err)" is "$status${err#* writes them down}" \
    $'1\ntilescope: left.h:1:10: "right.h" includes this file again, .* #pragma once.*'
sed -i '1i _Pragma("once")' own/left.h own/right.h
works run own/circle.cu --variant hello --device cpu
sed -i 's/_Pragma.*//; s/#include/#import/' own/left.h own/right.h
works run own/circle.cu --variant hello --device cpu
for i in {1..30}; do
    printf '#include "h%d.h"\n#include "h%d.h"\n' $((i + 1)) $((i + 1)) >"own/h$i.h"
done
echo >own/h31.h
sed 's/left/h1/' own/circle.cu >own/often.cu
run run own/often.cu --device cpu
expect "headers that would be read too often are one line ($err)" is "$status${err#* writes them down}" \
    $'1\ntilescope: h[0-9]+.h:[12]:10: "h[0-9]+.h" would be read more than 10000 times: .* #pragma once.*'

# ---- a size that is guessed too small ----

# b and c lie behind a, so nothing would stop what misses it.
cat >own/short.cu <<'END'
__global__ void gather(const float *a, float *b, const float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i + n / 2] + c[i];
}
__global__ void scatter(float *b, const float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i + n / 2] = c[i];
}
__global__ void nearest(float *b, const float *centres, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < k; c++) sum += centres[c + k];
    if (i < n) b[i] = sum;
}
END
while read -r variant words; do
    for command in run bench; do
        run $command own/short.cu --variant "$variant" --device cpu
        expect "$command names the array, the index and the line of $variant ($err)" \
            is "$status ${err##*$'\n'}" "1 tilescope: short.cu:$words"
    done
    run lens own/short.cu --variant "$variant"
    expect "so does the lens ($out$err)" is "$out$err" ".*outside: short.cu:${words/: $variant: /: }.*"
done <<'END'
gather 4: gather: thread \([0-9]+, 0\) of block \([0-9]+, 0\) reads a\[[0-9]+\]; a has 65536 elements
nearest 15: nearest: thread \([0-9]+, 0\) of block \([0-9]+, 0\) reads centres\[16\]; centres has 16 elements
scatter 9: scatter: thread \([0-9]+, 0\) of block \([0-9]+, 0\) writes b\[[0-9]+\]; b has 65536 elements
END

# Right before an array and behind it, and farther away; a kernel's own name of an array counts.
cat >own/around.cu <<'END'
__global__ void before(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i - 1];
}
__global__ void behind(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i + 1];
}
__global__ void beyond(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[n + 8192];
}
__global__ void integers(const int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i + 8192];
}
struct row { int *p; };
__global__ void members(row r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) r.p[i - 64] = i;
}
END
while read -r variant n words; do
    run run own/around.cu --variant "$variant" --param n="$n" --device cpu
    expect "run tells where $variant misses an array ($err)" \
        is "$status ${err##*$'\n'}" "1 tilescope: around.cu:[0-9]+: $variant: .* $words; .* has $n elements"
    run lens own/around.cu --variant "$variant" --param n="$n"
    expect "the lens, too ($out$err)" is "$out$err" ".*outside: around.cu:[0-9]+: .* $words; .*"
done <<'END'
before 1024 reads a\[-1\]
behind 1001 reads a\[1001\]
beyond 65536 reads a\[73728\]
integers 65536 reads a\[[0-9]+\]
members 65536 writes r.p\[-[0-9]+\]
END

# ---- types of elements ----

# The references of halves have the bits that IEEE 754 wants: of numbers that are rounded down, up,
# to even, to infinity, and of a product and a sum that are rounded once.
cat >own/types.cu <<'END'
//! lab "Types"
//! param n 1000 [8, 100000]
//! array c in [n] noise -128, 127
//! array s in [n] noise -30000, 30000
//! array l in [n] noise -1000, 1000
//! array h in [n] noise -300, 300
//! array d out [n] shown -255, 255
//! array u out [n] shown 0, 255
//! array bits out [n] shown 0, 255
//! array twice out [n] shown 0, 255
#include <cuda_fp16.h>
//! reference d
__host__ __device__ double of_d(const char *c, const short *s, const half *h, long long i)
{
    return c[i] / 3.0 + s[i] + __half2float(h[i]);
}
//! reference u
__host__ __device__ double of_u(const long long *l, long long i)
{
    return (l[i] + 2000) * (1LL << 35);
}
//! reference bits
__host__ __device__ double of_bits(const half *h, long long i)
{
    const int known[] = {0x3555, 0x7bff, 0x7c00, 0, 1, 0x8002, 0x3c03, 0x6801};
    return i < 8 ? known[i] : (unsigned)(__half2float(h[i]) < 0);
}
//! reference twice
__host__ __device__ double of_twice(const half *h, long long i)
{
    return 2 * __half2float(h[i]);
}
//! variant naive 64x1
__global__ void types(double *d, unsigned long long *u, unsigned short *bits, half2 *twice,
                      const char *c, const short *s, const long long *l, const half *h, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || threadIdx.y > 0) return;
    const float values[] = {1 / 3.0f, 65519, 65520, 0x1p-25f, 0x1.8p-25f, -0x1p-23f};
    half x = __float2half(values[i % 6]);
    if (i == 6) x = __hfma(half(0x1.004p0f), half(0x1.004p0f), half(0x1p-11f));
    if (i == 7) x = half(2048.0f) + half(1.0f) + half(2.0f);
    bits[i] = i < 8 ? __half_as_ushort(x) : h[i] < half(0);
    d[i] = c[i] / 3.0 + s[i] + (float)h[i];
    u[i] = (unsigned long long)(l[i] + 2000) << 35;
    if (i < n / 2) twice[i] = __hadd2(((const half2 *)h)[i], ((const half2 *)h)[i]);
}
END
run run own/types.cu --device cpu --out twice=twice.npy --out d=d.npy
expect "numbers of 8, 16, 32 and 64 bits are filled, computed and checked ($out$err)" has "$out" \
    ', exact'
expect 'a half is NumPy'"'"'s' grep -q "'<f2'" twice.npy
run run own/types.cu --device cpu --in h=twice.npy
expect "and is read ($out$err)" has "$out" ', exact'
works render own/types.cu --device cpu -o types.png  # of doubles; a header may include itself

# ---- adopt ----

run adopt own/Saxpy-2.cu
expect 'its notes stand first' is "${out%%$'\n'*}" '//! lab "Saxpy-2"'
expect 'guesses are comments' has "$out" '// guessed: n is a size'
expect 'the file follows' has "$out" "$(<own/Saxpy-2.cu)"
expect 'nothing is on stderr' is "$err" ''
run adopt own/Saxpy-2.cu -o own/noted.cu
expect "the same goes into a file ($err)" is "$status$out" 0
run run own/noted.cu --device cpu --param n=1000 --param a=3 --out y=noted.npy
expect 'which then runs the same' cmp y.npy noted.npy
expect 'and nothing is guessed any more' is "$err" ''
outputs=(box/new.cu)
refuse 1 "'own/noted.cu' has notes: nothing is changed" adopt own/noted.cu -o OUT
refuse 1 'none.cu' adopt own/none.cu -o OUT
refuse 2 'adopt wants one file' adopt
refuse 2 'adopt wants one file' adopt own/noted.cu own/mean.cu
refuse 2 'adopt wants one file' adopt a.png

# ---- with notes ----

works render own/mean.cu flat.png --device cpu -o half.png
read -r was _ < <("$probe" pixel flat.png 3 3)
expect 'it halves' is "$("$probe" pixel half.png 3 3)" "($((was / 2)) ?){3}"
works render own/mean.cu --device cpu -o scene.png  # of the sample
run list own/mean.cu
expect 'the installed one is hidden' is "$(grep -c '^mean ' <<<"$out")" 1
run lens own/mean.cu a.png
expect "a picture may stand behind it ($err)" has "$out" 'mean naive'
cp "$source_dir/kernels/labs/transpose.cu" own/Turn.cu
run grade own/Turn.cu --against own/Turn.cu --variant write_columns --without-sandbox --seed 1
expect "a lab of one's own is what another file is graded against ($err)" has "$out" 'exact with rows'
run run own/Turn.cu --device cpu --param rows=64 --param columns=64
expect "a lab's file runs ($err)" has "$out" 'Turn '

# ---- hostile files ----

printf '\177ELF\0\1\2' >own/binary.cu
: >own/empty.cu
head -c 17000000 /dev/zero | tr '\0' ' ' >own/huge.cu
echo '__global__ void k(table *a) { a[0] = 1; }' >own/tables.cu
echo '//! lab "A' >own/broken.cu
printf '__global__ void k(int *a) { a[0] = 1; }\n/* open' >own/open.cu
mkfifo own/pipe.cu
outputs=(box/new.png)
while read -r name words; do
    refuse 1 "$words" render "own/$name" -o OUT
done <<'END'
binary.cu binary.cu
empty.cu own/empty.cu: it has no notes, and no kernel that runs without
huge.cu huge.cu
tables.cu k is left out: its argument 'a' is of type table*
broken.cu own/broken.cu:1: expected: //! lab "Title"
open.cu own/open.cu
pipe.cu pipe.cu
none.cu own/none.cu': No such file
END
refuse 1 'folder' render 'own/a folder.cu' -o OUT
if [ "$(id -u)" != 0 ]; then
    cp own/mean.cu own/locked.cu
    chmod 000 own/locked.cu
    refuse 1 'Permission denied' render own/locked.cu -o OUT
fi
refuse 2 "one kernel file is taken, not 'own/mean.cu' and 'own/Turn.cu'" render own/mean.cu own/Turn.cu -o OUT
refuse 2 "one kernel file is taken, not 'own/mean.cu' and 'own/Turn.cu'" lens --filter own/mean.cu own/Turn.cu
refuse 2 "'own/mean.cu' is named, and --filter gaussian, too" lens --filter gaussian own/mean.cu
refuse 2 "unexpected argument 'mean'" list mean

# ---- an instantiation that there is not ----

cat >own/wrong.cu <<'END'
//! lab "Wrong"
//! param n 100 [1, 1000]
//! array y float out [n] shown 0, 255
//! variant naive 32x1 of fill<float>
template <int N> __global__ void fill(float *y) { y[threadIdx.x] = N; }
END
run run own/wrong.cu --device cpu
expect "the compiler's words have the file's name, and no line of the program's" is "$status $err" \
    '1 tilescope: wrong.cu: no matching function .*fill<float>.*'

# ---- one variant does not wait for the others ----

cat >own/half.cu <<'END'
//! lab "Half"
//! param n 100 [1, 1000]
//! array y float out [n] shown 0, 255
//! variant right 32x1
__global__ void right(float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = i;
}
//! variant wrong 32x1
__global__ void wrong(float *y, int n) { y[n] = nowhere; }
//! reference y
__host__ __device__ float y_of(int i) { return i; }
END
for words in 'run --device cpu' 'lens' 'render --device cpu -o half.png'; do
    # shellcheck disable=SC2086
    works $words own/half.cu --variant right
    # shellcheck disable=SC2086
    run $words own/half.cu --variant wrong
    expect 'the other one has its mistake' is "$status $err" $'1 tilescope: half.cu:11:.*nowhere.*'
done
run run own/half.cu --variant right --device cpu
expect 'its reference is there' has "$out" 'exact'

# ---- types of a header beside a file without notes, of which an #if leaves lines out ----

cat >own/kinds.h <<'END'
#ifdef SMALL
typedef unsigned char kind;
#else
typedef double kind;
#endif
typedef unsigned u32;
#define EACH 4
#define WIDTH 64
END
cat >own/coarse.cu <<'END'
#define SMALL
#include "kinds.h"
#if EACH == 2
__global__ void coarse(int *missing) { missing[0] = 1; }
#else
__global__ void coarse(u32 *sums, const kind *values)
{
    u32 first = EACH * blockDim.x * blockIdx.x + threadIdx.x, sum = 0;
    for (int i = 0; i < EACH; i++) sum += values[first + i * WIDTH];
    atomicAdd(sums, sum);
}
#endif
int main() { coarse<<<16, WIDTH>>>(sums, values); }
END
"$python" -c 'import numpy; numpy.save("values.npy", (numpy.arange(4096) * 7 % 251).astype("uint8"))'
works run own/coarse.cu --device cpu --param elements=4096 --in values=values.npy --out sums=sums.npy
expect 'each value is summed once' is \
    "$("$python" -c 'import numpy; print(int(numpy.load("sums.npy")[0] == numpy.load("values.npy").sum(dtype="u4")))')" 1

# Its structs, too: one by value, and one of which an array consists.
cat >own/pairs.h <<'END'
struct factors { float by; int plus; };
struct pair { float a, b; };
END
cat >own/scale.cu <<'END'
#include "pairs.h"
__global__ void scale(float *scaled, const pair *pairs, factors f, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scaled[i] = pairs[i].a * f.by + pairs[i].b + f.plus;
}
END
"$python" -c 'import numpy; numpy.save("pairs.npy", numpy.arange(2000, dtype="float32").view("V8"))'
works run own/scale.cu --device cpu --param n=1000 --param f_by=3 --param f_plus=7 --in pairs=pairs.npy --out scaled=scaled.npy
expect 'each is scaled' is \
    "$("$python" -c 'import numpy; i = numpy.arange(1000); print(int((numpy.load("scaled.npy") == 2 * i * 3 + 2 * i + 1 + 7).all()))')" 1

finish
