// The words of the block panel: of a pixel and its block, and of an element of a lab's array.
#include "unit.h"

#include "filter/block_files.h"
#include "screen/block_text.h"

static struct device cpu;  // the same, but for is_gpu
static const size_t no_shared[FILTER_MAX_PASSES];

enum { NAIVE, SEPARABLE, RUNNING, EACH };
static const char mean_text[] = "//! filter \"Mean\"\n"
                                "//! param radius 5 [0, 64] pixels\n"
                                "//! variant naive 32x8\n__global__ void a() {}\n"
                                "//! variant separable 32x8\n__global__ void b() {}\n"
                                "//! variant separable 32x8\n__global__ void c() {}\n"
                                "//! variant running 64x1 columns=8*bw-16*radius rows=16\n"
                                "__global__ void d() {}\n"
                                "//! variant each 8x4 each=16x2\n__global__ void e() {}\n";
static const char invert_text[] =
    "//! filter \"Invert\"\n//! variant naive 32x8\n__global__ void a() {}\n";

static struct filter mean, invert, turn, sum;
static char text[1024];

static void parse(struct filter *f, const char *path, const char *source)
{
    must(filter_parse(f, path, source, NULL, &err));
}

static int open_suite(void **state)
{
    cpu = gpu;
    cpu.is_gpu = false;
    parse(&mean, "mean.cu", mean_text);
    parse(&invert, "invert.cu", invert_text);
    parse(&turn, "turn.cu", matrix);
    parse(&sum, "sum.cu", vector);
    return 0;
}

static struct block_info_facts make_facts(const struct filter *f, int variant, int x, int y)
{
    return (struct block_info_facts){
        .choice = {f, &f->variants[variant], {.params = filter_defaults(f)}},
        .device = &gpu,
        .picture = planes_shape(100, 70, 1),
        .shared_bytes = no_shared,
        .x = x,
        .y = y};
}

// ---- a pixel ----

static void write_block(char *words, size_t size, const struct block_info_facts *f,
                        const struct block_text_values *values)
{
    struct block_info b;
    const int array = filter_has_picture(f->choice.filter) ? (int)ARRAYS_OUT : 1;
    must(block_info_find(&b, f, array, &err));
    block_text_write(words, size, &b, f, values, NULL);
}

TEST(words_of_one_pass)
{
    const struct block_info_touched touched = {.reads = {27, 11, 42, 18},
                                               .writes = {32, 16, 32, 8},
                                               .pixels_read = 756,
                                               .pixels_written = 256,
                                               .loads = 756,
                                               .threads = 256};
    struct block_info_facts f = make_facts(&mean, NAIVE, 40, 20);
    f.picture = planes_shape(100, 70, 3);
    f.occupancy = (struct occupancy){1536, 2048, "registers"};
    f.touched = &touched;
    static const size_t shared[] = {42 * 18 + 44};
    f.shared_bytes = shared;
    const struct block_text_values values = {.in = "1, 2, 3", .shown = {"4, 5, 255"}};
    write_block(text, sizeof text, &f, &values);
    assert_string_equal(text, "pixel 40, 20\n"
                              "in\t1, 2, 3\n"
                              "out\t4, 5, 255\n"
                              "block\t1, 2 of 4×9 in 3 planes\n"
                              "thread\t8, 4 · warp 4, lane 8\n"
                              "threads\t32×8 = 256\n"
                              "writes\t32×8 pixels from 32, 16\n"
                              "reads\t42×18 pixels, a halo of 5\n"
                              "loads a pixel\t2.95, naive 121\n"
                              "halo\t+195 % of the pixels\n"
                              "idle threads\tnone\n"
                              "shared\t800 B a block\n"
                              "occupancy\t75 %, limited by registers");
}

TEST(words_of_passes)
{
    const struct block_info_touched touched[] = {
        {{27, 16, 42, 8}, {32, 16, 32, 8}, 336, 256, 336, 256, 0},
        {{32, 11, 32, 18}, {32, 16, 32, 8}, 576, 256, 576, 256, 28},
    };
    struct block_info_facts f = make_facts(&mean, SEPARABLE, 40, 20);
    static const size_t shared[] = {42 * 8, 4 * 32 * 18};
    f.shared_bytes = shared;
    f.touched = touched;
    write_block(text, sizeof text, &f, NULL);
    assert_non_null(strstr(text, "\npass 1 reads\t42×8 pixels, 5 to each side\n"
                                 "pass 2 reads\t32×18 pixels, 5 up and down\n"
                                 "loads a pixel\t3.56, naive 121\n"
                                 "halo\t+31 %, +125 % of the pixels\n"
                                 "idle threads\t28 of the block's 256\n"
                                 "shared\tpass 1 336 B, pass 2 2304 B a block"));
    assert_null(strstr(text, "occupancy"));
}

TEST(words_of_a_block_that_is_not_traced)
{
    char small[20];
    struct block_info_facts f = make_facts(&mean, NAIVE, 99, 69);
    f.untouched = "being traced";
    write_block(text, sizeof text, &f, NULL);
    assert_string_equal(text, "pixel 99, 69\n"
                              "block\t3, 8 of 4×9\n"
                              "thread\t3, 5 · warp 5, lane 3\n"
                              "threads\t32×8 = 256\n"
                              "reads\tbeing traced\n"
                              "shared\t0 B a block");
    f.choice.variant = &mean.variants[RUNNING];
    f.untouched = NULL;
    write_block(text, sizeof text, &f, NULL);
    assert_non_null(strstr(text, "threads\t64×1 = 64\nshared"));
    assert_null(strstr(text, "thread\t"));                 // it shares its pixels out
    for (size_t size = 1; size <= sizeof small; size++) {  // cut at a whole letter, not beyond
        write_block(small, size, &f, NULL);
        assert_true(strlen(small) < size && g_utf8_validate(small, -1, NULL));
    }
}

TEST(words_of_narrow_blocks)
{
    const struct block_info_writer writer = {1, 22};
    struct block_info b;
    const struct block_info_facts f = make_facts(&mean, EACH, 99, 13);
    write_block(text, sizeof text, &f, NULL);
    assert_null(strstr(text, "thread\t"));  // only the kernel knows
    assert_true(block_info_find(&b, &f, ARRAYS_OUT, NULL));
    b.thread = block_info_thread_of(&writer, &b.config);
    block_text_write(text, sizeof text, &b, &f, NULL, NULL);
    assert_non_null(strstr(text, "\nthread\t6, 2 · warp 0, lane 22\n"));
}

TEST(words_of_two_that_are_compared)
{
    const struct block_info_facts f = make_facts(&mean, NAIVE, 0, 0);
    const struct block_text_values values = {.in = "7", .shown = {"8"}, .is_pair = true};
    block_text_write(text, sizeof text, NULL, &f, &values, "a library's");
    assert_string_equal(text, "pixel 0, 0\nin\t7\nout A\t8\nout B\t…\nblock\ta library's");
}

TEST(words_of_a_block_without_reads)
{
    const struct block_info_touched touched = {
        .writes = {0, 0, 32, 8}, .pixels_written = 256, .threads = 256};
    struct block_info_facts f = make_facts(&invert, NAIVE, 0, 0);
    f.touched = &touched;
    write_block(text, sizeof text, &f, NULL);
    assert_non_null(strstr(text, "\nreads\tno pixels\nloads a pixel\t0\nidle threads\tnone"));
}

// A CPU knows only what a launch asks for: none of that does not mean that there is none.
TEST(shared_memory_of_a_cpu)
{
    static const size_t none[] = {0, 0}, some[] = {304, 0};
    block_text_write_shared(text, sizeof text, none, 2, false);
    assert_string_equal(text, "");
    block_text_write_shared(text, sizeof text, none, 1, true);
    assert_string_equal(text, "0 B");
    block_text_write_shared(text, sizeof text, some, 2, false);
    assert_string_equal(text, "pass 1 304 B, pass 2 none");
}

// ---- an element ----

// A device that knows nothing of shared memory, so that the lines end with the threads.
static struct block_info_facts make_element(const struct filter *f, const char *variant, int x,
                                            int y)
{
    struct block_info_facts facts =
        make_facts(f, (int)(filter_variant(f, variant) - f->variants), x, y);
    facts.device = &cpu;
    return facts;
}

TEST(words_of_an_element)
{
    char small[12];
    const struct block_text_values one = {.shown = {"16777215"}}, none = {.is_pair = false},
                                   pair = {.shown = {"16777215", "0.1"}, .is_pair = true};
    const struct block_info_facts rows = make_element(&turn, "naive", 33, 9),
                                  unknown = make_element(&turn, "own", 33, 9),
                                  wide = make_element(&turn, "wide", 33, 9),
                                  one_row = make_element(&sum, "naive", 44, 2);
    write_block(text, sizeof text, &rows, &one);
    assert_string_equal(text, "b[9][33]\nvalue\t16777215\nblock\t1, 1 of 3×13\n"
                              "thread\t1, 1 · warp 1, lane 1\nthreads\t32×8 = 256");
    for (size_t size = 1; size <= sizeof small; size++) {  // cut at a whole letter, not beyond
        write_block(small, size, &rows, &one);
        assert_true(strlen(small) < size && g_utf8_validate(small, -1, NULL));
    }
    write_block(text, sizeof text, &unknown, &none);
    assert_string_equal(text, "b[9][33]\nvalue\t…\ngrid\t28×1 blocks\nthreads\t256×1 = 256");
    write_block(text, sizeof text, &wide, &pair);
    assert_true(g_str_has_prefix(text, "b[9][33]\nvalue A\t16777215\nvalue B\t0.1\n"
                                       "block\t0, 1 of "));
    write_block(text, sizeof text, &one_row, &one);
    assert_true(g_str_has_prefix(text, "s[300]\nvalue\t16777215\nblock\t1 of 40\n"
                                       "thread\t44, 0 · warp 1, lane 12\n"));
}

// Several threads have the element's place in the domain; a trace may tell which one writes it.
TEST(words_of_a_block_with_layers)
{
    const struct block_info_writer writer = {1, 70};
    const struct block_info_facts f = make_element(&turn, "deep", 33, 9);
    struct block_info b;
    write_block(text, sizeof text, &f, NULL);
    assert_string_equal(text, "b[9][33]\nblock\t4, 2 of 9×25×2\nthreads\t8×4×4 = 128");
    must(block_info_find(&b, &f, 1, &err));
    block_info_see(&b, &writer);
    block_text_write(text, sizeof text, &b, &f, NULL, NULL);
    assert_non_null(strstr(text, "\nthread\t6, 0, 2 · warp 2, lane 6\n"));
    b.has_block = false;
    block_text_write(text, sizeof text, &b, &f, NULL, NULL);
    assert_non_null(strstr(text, "\ngrid\t9×25×2 blocks\n"));
}

SUITE("block_text", open_suite, NULL)
