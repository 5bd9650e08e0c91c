// test_inspection -- which accesses of a trial's log are said to be outside of its memory.
#include "desk.h"
#include "grade/inspection.h"

enum { BASE = 1 << 20, FAR_AWAY = 1 << 24, WIDTH = 5, HEIGHT = 2 };

TEST(what_lies_outside_is_told)
{
    static const struct {
        const char *name;
        enum trace_kind kind;
        unsigned long long address;
        unsigned char bytes;
        const char *wanted;  // a part of what is said; NULL: nothing is
    } rows[] = {
        {"transpose", TRACE_STORE, 2 * BASE + 60, 4, NULL},
        {"transpose", TRACE_STORE, 2 * BASE + 64, 4, "writes out["},
        {"transpose", TRACE_LOAD, BASE - 4, 4, "reads in["},
        // Of what lies far from all arrays, a log holds variables of the file only.
        {"transpose", TRACE_LOAD, FAR_AWAY, 4, NULL},
        {"transpose", TRACE_STORE, FAR_AWAY, 4, "keeps its value"},
        {"transpose", TRACE_ATOMIC, FAR_AWAY, 4, "keeps its value"},
        {"invert", TRACE_STORE, FAR_AWAY, 4, "keeps its value"},
        // Words may reach into the padding of a row, up to 16 bytes.
        {"invert", TRACE_STORE, 2 * BASE + 12, 4, NULL},
        {"invert", TRACE_STORE, 2 * BASE + 16, 4, "writes beside the rows of out"},
        {"invert", TRACE_STORE, 2 * BASE + WIDTH, 1, "writes beside the rows of out"},
    };
    const struct desk *d = *state;
    const struct trial trial = {.params = {{3, 4}}, .width = WIDTH, .height = HEIGHT, .planes = 1};
    const struct wire_memory memory[] = {{.name = "in", .address = BASE, .bytes = 64},
                                         {.name = "out", .address = 2 * BASE, .bytes = 64}};
    const struct launch_config pass = {
        .grid_width = 1, .grid_height = 1, .block_width = 1, .block_height = 1};
    for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
        const struct trace_event event = {.address = rows[k].address,
                                          .site = 7,
                                          .kind = (unsigned char)rows[k].kind,
                                          .bytes = rows[k].bytes};
        const struct trace_thread thread = {&event, 1};
        const struct trace_block block = {.width = 1, .height = 1, .threads = &thread};
        struct inspection *i = inspection_create(filter_find(&d->list, rows[k].name), &trial);
        inspection_take_memory(i, memory, G_N_ELEMENTS(memory));
        inspection_take_pass(i, &pass);
        inspection_take_block(i, &block);
        const struct finding *const f = inspection_bounds(i);
        assert_int_equal(f->site_count, rows[k].wanted != NULL);
        if (rows[k].wanted) assert_int_equal(f->site[0], 7);
        if (rows[k].wanted && !strstr(f->what, rows[k].wanted))
            fail_msg("'%s' is not in '%s'", rows[k].wanted, f->what);
        inspection_destroy(i);
    }
}

SUITE("inspection", desk_set_up, desk_tear_down)
