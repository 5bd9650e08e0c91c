// The element under a pixel of a lab's picture, and who writes it: the block and the thread.
#include "unit.h"

#include "filter/files.h"
#include "filter/lab_block.h"

// Its variants differ in what a block writes.
static const char text[] = "//! lab \"Turn\"\n"
                           "struct params {\n"
                           "    int rows;     //! 100 [1, 65536] rows\n"
                           "    int columns;  //! 70 [1, 65536] columns\n"
                           "};\n"
                           "struct arrays {\n"
                           "    const float *a;  //! in [rows][columns] noise 0, 255\n"
                           "    float *b;        //! out [rows][columns] shown 0, 255\n"
                           "};\n"
                           "//! variant naive 32x8\nKERNEL(a)\n"
                           "//! variant each 8x4 each=4x2\nKERNEL(b)\n"
                           "//! variant wide 32x8 columns=64\nKERNEL(c)\n"
                           "//! variant own 256x1 domain=rows*columns + 1\nKERNEL(d)\n"
                           "//! variant linear 64x1 each=2x1 domain=rows*columns\nKERNEL(e)\n"
                           "//! variant turned 32x8 domain=rows, columns\nKERNEL(f)\n"
                           "//! variant straight 32x8 domain=columns, rows\nKERNEL(g)\n"
                           "//! variant once 256x1 domain=7000\nKERNEL(h)\n"
                           "//! variant shuffled 32x8 order=own\nKERNEL(i)\n";
static const char vector_text[] = "//! lab \"Sum\"\n"
                                  "struct params {\n"
                                  "    int n;  //! 10000 [1, 16777216] numbers\n"
                                  "};\n"
                                  "struct arrays {\n"
                                  "    const int *x;  //! in [n] noise -9, 9\n"
                                  "    int *s;        //! out [n] shown 0, 255\n"
                                  "};\n"
                                  "//! variant naive 256x1\nKERNEL(a)\n"
                                  "//! variant each 64x1 each=4x1\nKERNEL(b)\n";

static const struct device device = {.max_threads = 1024,
                                     .max_block_width = 1024,
                                     .max_block_height = 1024,
                                     .max_grid_width = 1 << 30,
                                     .max_grid_height = 65535,
                                     .max_shared_bytes = 49152};
static const size_t no_shared[FILTER_MAX_PASSES];

static struct block_info_facts facts_of(const struct filter *f, int variant, int x, int y)
{
    return (struct block_info_facts){
        .choice = {f, &f->variants[variant], {.params = filter_defaults(f)}},
        .device = &device,
        .shared_bytes = no_shared,
        .x = x,
        .y = y};
}

static struct lab_block found(const struct block_info_facts *facts, struct lab_block_view view)
{
    struct lab_block b;
    struct error err = {""};
    if (!lab_block_find(&b, facts, view, &err)) fail_msg("%s", err.text);
    return b;
}

static const struct lab_block_view whole = {.array = 1, .columns = 70, .step = 1};

static void assert_element(struct lab_block b, long long row, long long column)
{
    assert_int_equal(b.row, row);
    assert_int_equal(b.column, column);
    assert_int_equal(b.index, row * 70 + column);
}

static void assert_writer(struct lab_block b, int column, int row, int x, int y)
{
    assert_true(b.has_block);
    assert_int_equal(b.block_column, column);
    assert_int_equal(b.block_row, row);
    assert_int_equal(b.thread.x, x);
    assert_int_equal(b.thread.y, y);
}

static void assert_covers(struct lab_block b, int width, int height)
{
    assert_int_equal(b.covered_width, width);
    assert_int_equal(b.covered_height, height);
}

static void test_a_matrix(void **state)
{
    static const struct {
        int variant, x, y;
        int column, row, thread_x, thread_y;  // of the block and in it
        int width, height;                    // that the block covers
    } rows[] = {
        {0, 0, 0, 0, 0, 0, 0, 32, 8},
        {0, 31, 7, 0, 0, 31, 7, 32, 8},
        {0, 32, 8, 1, 1, 0, 0, 32, 8},
        {0, 69, 99, 2, 12, 5, 3, 32, 8},
        // Which thread it is, only the kernel knows.
        {1, 33, 9, 1, 1, -1, -1, 32, 8},
        {1, 68, 98, 2, 12, -1, -1, 32, 8},
        {2, 65, 9, 1, 1, -1, -1, 64, 8},
    };
    struct filter f = parsed(text);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct block_info_facts facts = facts_of(&f, rows[i].variant, rows[i].x, rows[i].y);
        const struct lab_block b = found(&facts, whole);
        assert_element(b, rows[i].y, rows[i].x);
        assert_writer(b, rows[i].column, rows[i].row, rows[i].thread_x, rows[i].thread_y);
        assert_covers(b, rows[i].width, rows[i].height);
    }
    filter_finish(&f);
}

static void test_the_first_element_is_the_nearest(void **state)
{
    struct filter f = parsed(text);
    const struct block_info_facts before = facts_of(&f, 0, -3, -1);
    assert_element(found(&before, whole), 0, 0);
    filter_finish(&f);
}

static void test_who_writes_is_not_always_known(void **state)
{
    struct filter f = parsed(text);
    const struct block_info_facts own = facts_of(&f, 3, 33, 9), naive = facts_of(&f, 0, 33, 9);
    struct lab_block_view read = whole;
    read.array = 0;
    assert_element(found(&own, whole), 9, 33);
    assert_false(found(&own, whole).has_block);
    assert_covers(found(&own, whole), 0, 0);
    const struct block_info_facts shuffled = facts_of(&f, 8, 33, 9);
    assert_false(found(&shuffled, whole).has_block);
    assert_element(found(&naive, read), 9, 33);  // `in` arrays are read only
    assert_false(found(&naive, read).has_block);
    filter_finish(&f);
}

// Of a block that was traced, the threads that store the element are known.
static void test_who_was_seen_to_write(void **state)
{
    const struct block_info_writer one = {1, 11}, several = {2, 11}, nobody = {0, 0};
    struct filter f = parsed(text);
    const struct block_info_facts facts = facts_of(&f, 1, 33, 9);
    struct lab_block b = found(&facts, whole);
    lab_block_see(&b, &one);
    assert_writer(b, 1, 1, 3, 1);
    lab_block_see(&b, &several);
    assert_writer(b, 1, 1, -1, -1);
    lab_block_see(&b, &nobody);  // so it is another block's
    assert_false(b.has_block);
    assert_covers(b, 0, 0);
    filter_finish(&f);
}

// Where in the launch's domain an element lies, for those who trace its block.
static void test_the_place_in_the_domain(void **state)
{
    static const struct {
        int variant, x, y;
    } rows[] = {{0, 33, 9}, {1, 33, 9}, {2, 33, 9}, {4, 663, 0}, {5, 9, 33}};
    struct filter f = parsed(text);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct block_info_facts facts = facts_of(&f, rows[i].variant, 33, 9);
        assert_int_equal(found(&facts, whole).domain_x, rows[i].x);
        assert_int_equal(found(&facts, whole).domain_y, rows[i].y);
    }
    filter_finish(&f);
}

// A domain of the array's size tells the order of its threads, though not by chance.
static void test_who_writes_follows_from_the_domain(void **state)
{
    struct filter f = parsed(text);
    const struct block_info_facts linear = facts_of(&f, 4, 33, 9), turned = facts_of(&f, 5, 33, 9),
                                  straight = facts_of(&f, 6, 33, 9), once = facts_of(&f, 7, 33, 9);
    assert_writer(found(&linear, whole), 663 / 128, 0, -1, -1);
    assert_covers(found(&linear, whole), 0, 0);  // a block goes on in the next row
    assert_writer(found(&turned, whole), 0, 4, 9, 1);
    assert_covers(found(&turned, whole), 8, 32);
    assert_writer(found(&straight, whole), 1, 1, 1, 1);
    assert_covers(found(&straight, whole), 32, 8);
    assert_false(found(&once, whole).has_block);
    f.params[0].value = 70;  // where the array is square, too
    const struct block_info_facts square = facts_of(&f, 5, 33, 9);
    assert_writer(found(&square, whole), 0, 4, 9, 1);
    filter_finish(&f);
}

// Ten thousand numbers are shown in rows of 4096. Blocks go on from one row to the next.
static void test_a_wrapped_vector(void **state)
{
    static const struct lab_block_view wrapped = {.array = 1, .columns = 4096, .step = 1};
    struct filter f = parsed(vector_text);
    const struct block_info_facts first = facts_of(&f, 0, 300, 0), second = facts_of(&f, 0, 300, 1),
                                  each = facts_of(&f, 1, 7, 2), last = facts_of(&f, 0, 1807, 2);
    const struct lab_block b = found(&second, wrapped);
    assert_int_equal(found(&first, wrapped).index, 300);
    assert_writer(found(&first, wrapped), 1, 0, 44, 0);
    assert_int_equal(b.index, 4396);
    assert_writer(b, 17, 0, 44, 0);
    assert_covers(b, 256, 1);
    assert_int_equal(found(&each, wrapped).index, 8199);
    assert_writer(found(&each, wrapped), 32, 0, -1, -1);
    assert_int_equal(found(&last, wrapped).index, 9999);
    filter_finish(&f);
}

// One pixel stands for 3 x 3 elements, and shows the first. Blocks have no outline then.
static void test_steps(void **state)
{
    struct filter f = parsed(text);
    struct lab_block_view view = whole;
    view.step = 3;
    const struct block_info_facts facts = facts_of(&f, 0, 12, 5);
    const struct lab_block b = found(&facts, view);
    assert_element(b, 15, 36);
    assert_writer(b, 1, 1, 4, 7);
    assert_covers(b, 0, 0);
    filter_finish(&f);
}

// Of two pictures that are compared, one may be larger; and the last row may be a part of one.
static void test_a_pixel_without_an_element(void **state)
{
    struct filter f = parsed(text);  // 100 rows of 70, or in rows of 64: 109, and 24 more
    const struct lab_block_view folded = {.array = 1, .columns = 64, .step = 1};
    const struct {
        int x, y;
        struct lab_block_view view;
    } rows[] = {{70, 0, whole}, {500, 500, whole}, {70, 99, whole}, {24, 109, folded}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct block_info_facts facts = facts_of(&f, 0, rows[i].x, rows[i].y);
        struct lab_block b;
        struct error err = {""};
        assert_false(lab_block_find(&b, &facts, rows[i].view, &err));
        assert_string_equal(err.text, "b has no element here");
        facts.x = MIN(facts.x, 70) - 1;
        facts.y = rows[i].view.columns == 70 ? MIN(facts.y, 99) : facts.y;
        found(&facts, rows[i].view);
    }
    filter_finish(&f);
}

static void test_a_launch_that_is_refused(void **state)
{
    struct filter f = parsed(text);
    struct block_info_facts facts = facts_of(&f, 0, 0, 0);
    facts.choice.settings.block_width = facts.choice.settings.block_height = 64;
    struct lab_block b;
    struct error err = {""};
    assert_false(lab_block_find(&b, &facts, whole, &err));
    assert_non_null(strstr(err.text, "4096 threads"));
    filter_finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_matrix),
        cmocka_unit_test(test_the_first_element_is_the_nearest),
        cmocka_unit_test(test_who_writes_is_not_always_known),
        cmocka_unit_test(test_who_was_seen_to_write),
        cmocka_unit_test(test_the_place_in_the_domain),
        cmocka_unit_test(test_who_writes_follows_from_the_domain),
        cmocka_unit_test(test_a_wrapped_vector),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_a_pixel_without_an_element),
        cmocka_unit_test(test_a_launch_that_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
