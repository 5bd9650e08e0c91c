// compare_cpu.cl -- what somebody would write in OpenCL by hand for the variants of the same names.

int pixel(global const uchar *in, int width, int height, int pitch, int x, int y)
{
    return in[clamp(y, 0, height - 1) * pitch + clamp(x, 0, width - 1)];
}

uchar mean_of(uint sum, int radius)
{
    const uint area = (2 * radius + 1) * (2 * radius + 1);
    return (sum + area / 2) / area;
}

kernel void mean_naive(global uchar *out, global const uchar *in, int width, int height, int pitch,
                       int radius)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    uint sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            sum += pixel(in, width, height, pitch, x + dx, y + dy);
    out[y * pitch + x] = mean_of(sum, radius);
}

kernel void mean_shared(global uchar *out, global const uchar *in, int width, int height, int pitch,
                        int radius, local uchar *tile)
{
    const int tile_width = get_local_size(0) + 2 * radius;
    const int tile_height = get_local_size(1) + 2 * radius;
    const int left = get_group_id(0) * get_local_size(0) - radius;
    const int top = get_group_id(1) * get_local_size(1) - radius;
    for (int ty = get_local_id(1); ty < tile_height; ty += get_local_size(1))
        for (int tx = get_local_id(0); tx < tile_width; tx += get_local_size(0))
            tile[ty * tile_width + tx] = pixel(in, width, height, pitch, left + tx, top + ty);
    barrier(CLK_LOCAL_MEM_FENCE);

    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    uint sum = 0;
    for (int dy = 0; dy <= 2 * radius; dy++)
        for (int dx = 0; dx <= 2 * radius; dx++)
            sum += tile[(get_local_id(1) + dy) * tile_width + get_local_id(0) + dx];
    out[y * pitch + x] = mean_of(sum, radius);
}

kernel void transpose_read_columns(global float *b, global const float *a, int rows, int columns)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < rows && y < columns) b[y * rows + x] = a[x * columns + y];
}

kernel void transpose_padded(global float *b, global const float *a, int rows, int columns,
                             local float *tile)
{
    const int left = get_group_id(1) * 32, top = get_group_id(0) * 32, x = get_local_id(0);
    for (int y = get_local_id(1); y < 32; y += 8)
        if (top + y < rows && left + x < columns)
            tile[y * 33 + x] = a[(top + y) * columns + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = get_local_id(1); y < 32; y += 8)
        if (left + y < columns && top + x < rows)
            b[(left + y) * rows + top + x] = tile[x * 33 + y];
}

kernel void matmul_naive(global float *c, global const float *a, global const float *b, int n)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum = fma(a[row * n + k], b[k * n + column], sum);
    c[row * n + column] = sum;
}

kernel void matmul_shared(global float *c, global const float *a, global const float *b, int n)
{
    local float a_tile[32][32], b_tile[32][32];
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_group_id(0) * 32 + x, row = get_group_id(1) * 32 + y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        a_tile[y][x] = row < n && k0 + x < n ? a[row * n + k0 + x] : 0;
        b_tile[y][x] = k0 + y < n && column < n ? b[(k0 + y) * n + column] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 32; k++) sum = fma(a_tile[y][k], b_tile[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

// s is 0 before.
kernel void sum_sequential(global int *s, global const int *a, int n, local int *sums)
{
    const int t = get_local_id(0), at = get_global_id(0);
    sums[t] = at < n ? a[at] : 0;
    for (int count = get_local_size(0) / 2; count > 0; count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < count) sums[t] += sums[t + count];
    }
    if (t == 0) atomic_add(s, sums[0]);
}
