// Command lines, one word a line behind a byte that says which command's, and what they choose.
#include "app/options.h"
#include "kernels.h"
#include "measure/sweep.h"

static void choose(const struct options *o, enum options_of command)
{
    struct choice choice;
    OWNED(sweep_finish) struct sweep sweep = {0};
    struct error err = {""};
    const struct sweep_axes axes = {.filter = o->filter,
                                    .variant = o->variant,
                                    .radius = o->radius,
                                    .block = o->block,
                                    .unroll = o->unroll,
                                    .params = o->params};
    const struct choice_words words = options_words(o);
    const bool is_chosen = command == OPTIONS_BENCH ? sweep_build(&sweep, kernels(), &axes, &err)
                                                    : choice_read(&choice, &words, kernels(), &err);
    if (!is_chosen) assert(err.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct options o;
    struct error err = {""};
    if (size < 1) return 0;
    const enum options_of command = (enum options_of)(1 << data[0] % 5);
    g_autofree char *text = fuzz_text(data + 1, size - 1),
                    *all = g_strconcat("tilescope\n", text, NULL);
    g_auto(GStrv) words = g_strsplit(all, "\n", 40);
    if (options_parse(&o, command, (int)g_strv_length(words), words, &err)) {
        choose(&o, command);
        options_finish(&o);
    } else {
        assert(err.text[0]);
    }
    return 0;
}
