// The pixel or element under the cursor, the block and the thread that write it, and how far the
// block reads.
#include "unit.h"

#include "filter/block_info.h"
#include "filter/block_files.h"
#include "filter/files.h"

// Its variants differ in what a block writes.
static const char picture[] =
    "//! filter \"Mean\"\n"
    "//! param radius 5 [0, 64] pixels\n"
    "//! variant naive 32x8\n__global__ void a() {}\n"
    "//! variant each 8x4 each=16x2\n__global__ void b() {}\n"
    "//! variant columns 64x1 columns=8*bw-16*radius rows=16\n__global__ void c() {}\n"
    "//! variant small 8x4\n__global__ void d() {}\n"
    "//! variant shuffled 8x4 order=own\n__global__ void e() {}\n"
    "//! variant twice 32x8\n__global__ void f() {}\n"
    "//! variant twice 32x8\n__global__ void g() {}\n";
static struct block_info_facts facts_of(const struct filter *f, const char *variant, int x, int y)
{
    return (struct block_info_facts){
        .choice = {f, filter_variant(f, variant), {.params = filter_defaults(f)}},
        .device = &gpu,
        .picture = planes_shape(100, 70, 1),
        .x = x,
        .y = y};
}

static struct block_info found(const struct block_info_facts *facts, int array)
{
    struct block_info b;
    must(block_info_find(&b, facts, array, &err));
    return b;
}

static struct block_info found_at(const struct filter *f, const char *variant, int x, int y)
{
    const struct block_info_facts facts = facts_of(f, variant, x, y);
    return found(&facts, arrays_first(f, ARRAY_OUT));
}

// Where it should be. column -1: nobody knows the block.
struct row {
    const char *variant;
    int x, y;
    int column, row, thread_x, thread_y;  // of the block and in it
    int width, height;                    // that the block covers
    int domain_x, domain_y;
};

static void assert_rows(const struct filter *f, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct row *r = &rows[i];
        const struct block_info b = found_at(f, r->variant, r->x, r->y);
        const bool is_same =
            b.has_block == (r->column >= 0) && b.thread.x == r->thread_x &&
            b.thread.y == r->thread_y && b.covered_width == r->width &&
            b.covered_height == r->height && b.domain_x == r->domain_x &&
            b.domain_y == r->domain_y &&
            (r->column < 0 || (b.block_column == r->column && b.block_row == r->row));
        if (!is_same)
            fail_msg("%s at %d, %d: block %lld, %lld, thread %d, %d, covers %dx%d, domain %d, %d",
                     r->variant, r->x, r->y, b.block_column, b.block_row, b.thread.x, b.thread.y,
                     b.covered_width, b.covered_height, b.domain_x, b.domain_y);
    }
}

static void assert_element(struct block_info b, long long row, long long column, int columns)
{
    assert_int_equal(b.row, row);
    assert_int_equal(b.column, column);
    assert_int_equal(b.index, row * columns + column);
}

// ---- pixels ----

// Beyond the picture it is the nearest pixel. A thread of one pixel has its own: which of several
// pixels are a thread's, the kernel decides, and a trace shows.
TEST(pixels)
{
    static const struct row rows[] = {
        {"naive", 0, 0, 0, 0, 0, 0, 32, 8, 0, 0},
        {"naive", 31, 7, 0, 0, 31, 7, 32, 8, 31, 7},
        {"naive", 32, 8, 1, 1, 0, 0, 32, 8, 32, 8},
        {"naive", 99, 69, 3, 8, 3, 5, 32, 8, 99, 69},
        {"naive", 500, 500, 3, 8, 3, 5, 32, 8, 99, 69},
        {"naive", -3, -1, 0, 0, 0, 0, 32, 8, 0, 0},
        {"each", 99, 9, 0, 1, -1, -1, 128, 8, 99, 9},
        {"columns", 99, 33, 0, 2, -1, -1, 432, 16, 99, 33},
        {"small", 99, 13, 12, 3, 3, 1, 8, 4, 99, 13},
        {"shuffled", 99, 13, 12, 3, -1, -1, 8, 4, 99, 13},
    };
    OWNED(filter_finish) struct filter f = parsed(picture);
    assert_rows(&f, rows, G_N_ELEMENTS(rows));
    struct block_info_facts chosen = facts_of(&f, "naive", 17, 4);
    chosen.choice.settings.block_width = 16;
    chosen.choice.settings.block_height = 4;
    const struct block_info b = found(&chosen, ARRAYS_OUT);
    assert_true(b.covered_width == 16 && b.covered_height == 4);
    assert_true(b.block_column == 1 && b.block_row == 1);
}

// How far the source pixels are that a result depends on, whichever pass reads them.
TEST(the_reach_of_all_passes)
{
    OWNED(filter_finish) struct filter f = parsed(picture);
    struct block_info_touched touched[] = {
        {.reads = {27, 16, 42, 8}, .writes = {32, 16, 32, 8}},
        {.reads = {32, 11, 32, 18}, .writes = {32, 16, 32, 8}},
    };
    const struct choice c = facts_of(&f, "twice", 40, 20).choice;
    assert_int_equal(block_info_halo(&c, touched), 5);
    assert_int_equal(block_info_reach(&touched[0]).across, 5);
    assert_int_equal(block_info_reach(&touched[0]).down, 0);
    assert_int_equal(block_info_reach(&touched[1]).down, 5);
    touched[0].reads = touched[0].writes;
    touched[1].reads = (struct block_info_box){32, 0, 32, 21};  // cut by the upper edge
    touched[1].writes = (struct block_info_box){32, 0, 32, 16};
    assert_int_equal(block_info_halo(&c, touched), 5);
    touched[1].reads.height = 40;  // more than the radius: a mirrored pixel, say
    assert_int_equal(block_info_halo(&c, touched), 5);
    touched[1].reads.width = 0;
    assert_int_equal(block_info_halo(&c, touched), 0);
}

// Every variant there is, at every radius: the block holds its pixel.
TEST(all_kernels)
{
    OWNED(filter_list_finish) struct filter_list filters;
    must(filter_list_load(&filters, TILESCOPE_KERNELS, NULL, &err));
    int count = 0;
    for (const struct filter *f = filters.filters; f < filters.filters + filters.count; f++)
        for (int k = 0; filter_has_picture(f) && k < f->variant_count; k++)
            for (int radius = 0; radius <= 64; radius += 7) {
                struct block_info_facts facts = facts_of(f, f->variants[k].name, 640, 301);
                facts.picture = planes_shape(641, 479, 3);
                if (filter_radius(f) >= 0)
                    facts.choice.settings.params.v[filter_radius(f)] = radius;
                struct block_info b;
                if (!block_info_find(&b, &facts, ARRAYS_OUT, NULL)) continue;
                assert_int_equal(640 / b.covered_width, b.block_column);
                assert_int_equal(301 / b.covered_height, b.block_row);
                assert_element(b, 301, 640, 641);
                count++;
            }
    assert_true(count > 50);
}

// ---- elements ----

// A domain of the array's size tells the order of its threads, though not by chance.
TEST(a_matrix)
{
    static const struct row rows[] = {
        {"naive", 0, 0, 0, 0, 0, 0, 32, 8, 0, 0},
        {"naive", 31, 7, 0, 0, 31, 7, 32, 8, 31, 7},
        {"naive", 32, 8, 1, 1, 0, 0, 32, 8, 32, 8},
        {"naive", 33, 9, 1, 1, 1, 1, 32, 8, 33, 9},
        {"naive", 69, 99, 2, 12, 5, 3, 32, 8, 69, 99},
        {"naive", -3, -1, 0, 0, 0, 0, 32, 8, 0, 0},
        {"each", 33, 9, 1, 1, -1, -1, 32, 8, 33, 9},  // only the kernel knows which thread
        {"each", 68, 98, 2, 12, -1, -1, 32, 8, 68, 98},
        {"wide", 65, 9, 1, 1, -1, -1, 64, 8, 65, 9},
        {"linear", 33, 9, 663 / 128, 0, -1, -1, 0, 0, 663, 0},  // it goes on in the next row
        {"turned", 33, 9, 0, 4, 9, 1, 8, 32, 9, 33},
        {"straight", 33, 9, 1, 1, 1, 1, 32, 8, 33, 9},
        {"once", 33, 9, -1, 0, -1, -1, 0, 0, 0, 0},
        {"own", 33, 9, -1, 0, -1, -1, 0, 0, 0, 0},
        {"shuffled", 33, 9, -1, 0, -1, -1, 0, 0, 0, 0},
    };
    OWNED(filter_finish) struct filter f = parsed(matrix);
    assert_rows(&f, rows, G_N_ELEMENTS(rows));
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_element(found_at(&f, rows[i].variant, rows[i].x, rows[i].y), MAX(rows[i].y, 0),
                       MAX(rows[i].x, 0), 70);
    const struct block_info_facts read = facts_of(&f, "naive", 33, 9);
    assert_element(found(&read, 0), 9, 33, 70);  // `in` arrays are read only
    assert_false(found(&read, 0).has_block);
    f.params[0].value = 70;  // where the array is square, too
    assert_rows(&f, &rows[10], 1);
}

// Of a block that was traced, the threads that store the element are known.
TEST(who_was_seen_to_write)
{
    static const struct {
        struct block_info_writer writer;
        int x, y;
    } rows[] = {{{1, 11}, 3, 1}, {{2, 11}, -1, -1}, {{0, 0}, -1, -1}};
    OWNED(filter_finish) struct filter f = parsed(matrix);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct block_info b = found_at(&f, "each", 33, 9);
        block_info_see(&b, &rows[i].writer);
        assert_int_equal(b.thread.x, rows[i].x);
        assert_int_equal(b.thread.y, rows[i].y);
        assert_int_equal(b.has_block, rows[i].writer.threads > 0);  // else it is another block's
        assert_int_equal(b.covered_width, b.has_block ? 32 : 0);
    }
}

// Ten thousand numbers are shown in rows of 128. Blocks of 256 cover two of them.
TEST(a_wrapped_vector)
{
    static const struct row rows[] = {
        {"naive", 44, 2, 1, 0, 44, 0, 128, 2, 300, 0},
        {"naive", 44, 34, 17, 0, 44, 0, 128, 2, 4396, 0},
        {"each", 7, 64, 32, 0, -1, -1, 128, 2, 8199, 0},
        {"naive", 15, 78, 39, 0, 15, 0, 128, 2, 9999, 0},
    };
    OWNED(filter_finish) struct filter f = parsed(vector);
    assert_rows(&f, rows, G_N_ELEMENTS(rows));
    assert_int_equal(found_at(&f, "naive", 15, 78).index, 9999);
}

// One pixel stands for 3 x 3 elements, and shows the first. Blocks have no outline then.
TEST(steps)
{
    OWNED(filter_finish) struct filter f = parsed(matrix);
    f.params[0].value = f.params[1].value = 9000;
    assert_element(found_at(&f, "naive", 12, 5), 15, 36, 9000);
    assert_rows(&f, &(struct row){"naive", 12, 5, 1, 1, 4, 7, 0, 0, 36, 15}, 1);
}

// Of two pictures that are compared, one may be larger; and the last row may be a part of one.
TEST(a_pixel_without_an_element)
{
    static const struct {
        int rows, x, y, last_x, last_y;
    } cases[] = {{100, 70, 0, 69, 0},
                 {100, 500, 500, 69, 99},
                 {100, 70, 99, 69, 99},
                 {1000, 70, 333, 69, 333}};  // three rows side by side: 333, and one more
    OWNED(filter_finish) struct filter f = parsed(matrix);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        f.params[0].value = cases[i].rows;
        const struct block_info_facts facts = facts_of(&f, "naive", cases[i].x, cases[i].y);
        struct block_info b;
        err.text[0] = '\0';
        assert_false(block_info_find(&b, &facts, 1, &err));
        assert_string_equal(err.text, "b has no element here");
        found_at(&f, "naive", cases[i].last_x, cases[i].last_y);
    }
}

TEST(a_launch_that_is_refused)
{
    static const char *const texts[] = {picture, matrix};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        OWNED(filter_finish) struct filter f = parsed(texts[i]);
        struct block_info_facts facts = facts_of(&f, "naive", 0, 0);
        facts.choice.settings.block_width = 64;
        facts.choice.settings.block_height = 32;
        struct block_info b;
        err.text[0] = '\0';
        memset(&b, 0x5a, sizeof b);
        const struct block_info before = b;
        assert_false(block_info_find(&b, &facts, 1, &err));
        assert_non_null(strstr(err.text, "2048 threads"));
        assert_memory_equal(&b, &before, sizeof b);
    }
}
