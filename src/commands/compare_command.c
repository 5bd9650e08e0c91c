// compare_command.c -- `tilescope compare`: two benchmarks, row by row.
#include <glib.h>

#include "base/terminal.h"
#include "commands/commands.h"
#include "draw/bench_plot.h"
#include "draw/plot.h"
#include "measure/bench_compare.h"

static enum outcome report(const struct bench_file *a, const struct bench_file *b,
                           const struct options *o)
{
    struct bench_compare c;
    struct error err = {""};
    if (!bench_compare_init(&c, a, b, o->ignore, &err)) return command_fail(OUTCOME_USAGE, &err);
    if (!bench_compare_check(&c, &err)) {
        bench_compare_finish(&c);
        return command_fail(OUTCOME_REFUSED, &err);
    }
    char *text = bench_compare_report(&c, o->pictures[0], o->pictures[1]);
    terminal_print(stdout, "%s", text);
    const bool is_done = !o->plot || bench_plot_save_compared(o->plot, &c, &err);
    g_free(text);
    bench_compare_finish(&c);
    return is_done ? OUTCOME_DONE : command_fail(OUTCOME_REFUSED, &err);
}

static enum outcome compare(const struct options *o)
{
    struct error err = {""};
    struct bench_file a = {.count = 0}, b = {.count = 0};
    if (g_strv_length(o->pictures) != 2) {
        error_set(&err, "compare wants two files that bench --format json has written");
        return command_fail(OUTCOME_USAGE, &err);
    }
    if (o->plot && !plot_check_path(o->plot, &err)) return command_fail(OUTCOME_USAGE, &err);
    const bool is_read = (!o->plot || command_can_write(o->plot, &err)) &&
                         bench_file_load(&a, o->pictures[0], &err) &&
                         bench_file_load(&b, o->pictures[1], &err);
    const enum outcome outcome = is_read ? report(&a, &b, o) : command_fail(OUTCOME_REFUSED, &err);
    bench_file_finish(&a);
    bench_file_finish(&b);
    return outcome;
}

const struct command command_compare = {
    .name = "compare",
    .options = OPTIONS_COMPARE,
    .run = compare,
    .usage = "compare A.json B.json",
    .summary = "two runs of bench: what became faster, beyond the spread",
    .about =
        "Compares two benchmarks that `tilescope bench --format json` has written. Rows of the\n"
        "same filter, variant, params, block, unroll and size belong together, but for the\n"
        "columns that --ignore names: --ignore unroll compares a run without --unroll with one\n"
        "that has it. The table shows the times of both and their ratio with its spread. A\n"
        "difference counts if the middle halves of the samples, between the quartiles, do not\n"
        "overlap. Rows that only one file has are listed at the end.",
};
