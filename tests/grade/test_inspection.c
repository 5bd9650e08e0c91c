// test_inspection -- whether the log of a trial accounts for what the trial has changed and read.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <string.h>

#include "grade/inspection.h"

enum { BASE = 1 << 20, ROWS = 3, COLUMNS = 4, MAX_EVENTS = 64, OUT_AT = 4096 };

static struct filter_list list;

static int load(void **state)
{
    (void)state;
    struct error err = {""};
    if (!filter_list_load(&list, TILESCOPE_KERNELS, NULL, &err)) fail_msg("%s", err.text);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    filter_list_finish(&list);
    return 0;
}

// A thread that reads the first elements of one piece of memory and writes those of another.
struct log {
    struct trace_event events[MAX_EVENTS];
    size_t count;
};

static void add(struct log *l, enum trace_kind kind, size_t address, int bytes)
{
    assert_true(l->count < MAX_EVENTS);
    l->events[l->count++] = (struct trace_event){
        .address = address, .kind = (unsigned char)kind, .bytes = (unsigned char)bytes};
}

enum { SHARED_BYTES = 64 };

// What the process sends of a launch of one block.
static void send(struct inspection *i, const struct wire_memory *memory, int count,
                 const struct log *log)
{
    const struct proctor_listener l = inspection_listener(i);
    const struct wire_pass pass = {
        .config = {.grid_width = 1, .grid_height = 1, .block_width = 1, .block_height = 1},
        .depth = 1};
    const struct trace_thread thread = {log->events, log->count};
    const struct trace_block block = {
        .width = 1, .height = 1, .threads = &thread, .shared_bytes = SHARED_BYTES};
    l.memory(l.data, memory, count);
    l.pass(l.data, &pass);
    l.block(l.data, &block);
}

// ---- a lab ----

struct desk {
    struct trial trial;
    struct arrays_layout layout;
    struct wire_memory memory[3];  // a, b, t of transpose
    unsigned char *before, *after;
};

static struct desk open_desk(bool is_counted)
{
    struct desk d = {.trial = {.params = {{ROWS, COLUMNS}}, .is_counted = is_counted}};
    struct error err = {""};
    assert_true(trial_layout(&d.trial, filter_find(&list, "transpose"), &d.layout, &err));
    assert_int_equal(d.layout.count, G_N_ELEMENTS(d.memory));
    for (int i = 0; i < d.layout.count; i++)
        d.memory[i] = (struct wire_memory){.name = {(char)"abt"[i]},
                                           .address = BASE + d.layout.places[i].offset,
                                           .bytes = d.layout.places[i].bytes};
    d.before = g_malloc0(d.layout.bytes);
    d.after = g_malloc0(d.layout.bytes);
    return d;
}

static void expect_seen(struct desk *d, const struct log *log, const char *wanted)
{
    char what[160] = "";
    struct inspection *i = inspection_create(filter_find(&list, "transpose"), &d->trial);
    send(i, d->memory, d->layout.count, log);
    const bool has_all = inspection_has_seen_all(i, d->before, d->after, what, sizeof what);
    assert_string_equal(what, wanted);
    assert_int_equal(has_all, !*wanted);
    inspection_destroy(i);
    g_free(d->before);
    g_free(d->after);
}

static void change(const struct desk *d, int array, int element)
{
    d->after[d->layout.places[array].offset + 4 * (size_t)element + 1] = 7;
}

static void what_changes_is_in_the_log(void **state)
{
    (void)state;
    struct log log = {.count = 0};
    struct desk d = open_desk(false);
    for (int i = 0; i < ROWS * COLUMNS; i++) change(&d, 1, i);
    change(&d, 2, 5);
    add(&log, TRACE_LOAD, d.memory[0].address, 4);
    for (int i = 0; i < ROWS * COLUMNS; i += 4)
        add(&log, TRACE_STORE, d.memory[1].address + 4 * (size_t)i, 16);
    add(&log, TRACE_ATOMIC, d.memory[2].address + 4 * 5, 4);
    expect_seen(&d, &log, "");
}

static void a_hidden_store_is_found(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        [1] = "what writes into b leaves no trace, so that it cannot be counted",
        [2] = "what writes into t leaves no trace, so that it cannot be counted"};
    for (int array = 1; array <= 2; array++) {
        struct log log = {.count = 0};
        struct desk d = open_desk(false);
        change(&d, array, 3);
        change(&d, array, 4);
        add(&log, TRACE_STORE, d.memory[array].address + 4 * 3, 4);
        add(&log, TRACE_LOAD, d.memory[array].address + 4 * 4, 4);
        expect_seen(&d, &log, wanted[array]);
    }
}

// Half of the bytes will do, and only in the trial that is counted.
static void hidden_loads_are_found(void **state)
{
    (void)state;
    for (int is_counted = 0; is_counted <= 1; is_counted++)
        for (int missing = 6; missing <= 7; missing++) {
            struct log log = {.count = 0};
            struct desk d = open_desk(is_counted);
            for (int i = 0; i < ROWS * COLUMNS; i++) {
                add(&log, TRACE_LOAD, d.memory[0].address + 4 * (size_t)MAX(i, missing), 4);
                add(&log, TRACE_STORE, d.memory[1].address + 4 * (size_t)i, 4);
            }
            expect_seen(&d, &log,
                        is_counted && missing == 7 ? "a launch must read 24 bytes, and 20 are seen "
                                                     "to be read, so that it cannot be counted"
                                                   : "");
        }
}

static void add_shared(struct log *l, enum trace_kind kind, int words)
{
    for (int i = 0; i < words; i++) {
        add(l, kind, 4 * (size_t)i, 4);
        l->events[l->count - 1].space = TRACE_SHARED;
    }
}

// What is written there is read, and the other way round: half of it.
static void hidden_shared_memory_is_found(void **state)
{
    (void)state;
    static const struct {
        int written, read;
        const char *wanted;
    } rows[] = {
        {0, 0, ""},
        {8, 4, ""},
        {4, 8, ""},
        {8, 3, "what reads most of shared memory leaves no trace, so that it cannot be counted"},
        {3, 8, "what writes most of shared memory leaves no trace, so that it cannot be counted"},
    };
    const struct trial trial = {.params = {{ROWS, COLUMNS}}, .is_counted = true};
    for (size_t row = 0; row < G_N_ELEMENTS(rows); row++) {
        struct log log = {.count = 0};
        char what[160] = "";
        struct inspection *i = inspection_create(filter_find(&list, "transpose"), &trial);
        add_shared(&log, TRACE_STORE, rows[row].written);
        add_shared(&log, TRACE_LOAD, rows[row].read);
        send(i, NULL, 0, &log);
        assert_int_equal(inspection_has_seen_shared(i, what, sizeof what), !*rows[row].wanted);
        assert_string_equal(what, rows[row].wanted);
        inspection_destroy(i);
    }
}

// ---- a filter ----

static void every_pixel_is_seen_to_be_written(void **state)
{
    (void)state;
    const struct trial trial = {.width = 5, .height = 2, .planes = 1};
    const struct planes shape = planes_shape(trial.width, trial.height, trial.planes);
    for (int missing = 0; missing <= 1; missing++) {
        const struct wire_memory memory[] = {
            {.name = "in", .address = BASE, .bytes = planes_bytes(shape)},
            {.name = "out", .address = BASE + OUT_AT, .bytes = planes_bytes(shape)}};
        struct log log = {.count = 0};
        char what[160] = "";
        struct inspection *i = inspection_create(filter_find(&list, "invert"), &trial);
        add(&log, TRACE_STORE, BASE + OUT_AT, 4);
        add(&log, TRACE_STORE, BASE + OUT_AT + 4, 1);
        add(&log, TRACE_STORE, BASE + OUT_AT + (size_t)shape.pitch, missing ? 4 : 8);
        send(i, memory, G_N_ELEMENTS(memory), &log);
        assert_int_equal(inspection_has_seen_all(i, NULL, NULL, what, sizeof what), !missing);
        assert_string_equal(
            what,
            missing ? "what writes into out leaves no trace, so that it cannot be counted" : "");
        inspection_destroy(i);
    }
}

// Half of the pixels, as half of an array's elements.
static void hidden_loads_of_a_picture_are_found(void **state)
{
    (void)state;
    const struct trial trial = {.width = 8, .height = 2, .planes = 1, .is_counted = true};
    const struct planes shape = planes_shape(trial.width, trial.height, trial.planes);
    const struct wire_memory memory[] = {
        {.name = "in", .address = BASE, .bytes = planes_bytes(shape)},
        {.name = "out", .address = BASE + OUT_AT, .bytes = planes_bytes(shape)}};
    for (int missing = 0; missing <= 1; missing++) {
        struct log log = {.count = 0};
        char what[160] = "";
        struct inspection *i = inspection_create(filter_find(&list, "invert"), &trial);
        for (int y = 0; y < trial.height; y++)
            add(&log, TRACE_STORE, BASE + OUT_AT + (size_t)y * (size_t)shape.pitch, 8);
        add(&log, TRACE_LOAD, BASE, missing ? 4 : 8);
        send(i, memory, G_N_ELEMENTS(memory), &log);
        assert_int_equal(inspection_has_seen_all(i, NULL, NULL, what, sizeof what), !missing);
        assert_string_equal(what, missing
                                      ? "a launch must read 8 bytes, and 4 are seen to be read, "
                                        "so that it cannot be counted"
                                      : "");
        inspection_destroy(i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_changes_is_in_the_log),
        cmocka_unit_test(a_hidden_store_is_found),
        cmocka_unit_test(hidden_loads_are_found),
        cmocka_unit_test(hidden_shared_memory_is_found),
        cmocka_unit_test(every_pixel_is_seen_to_be_written),
        cmocka_unit_test(hidden_loads_of_a_picture_are_found),
    };
    return cmocka_run_group_tests(tests, load, forget);
}
