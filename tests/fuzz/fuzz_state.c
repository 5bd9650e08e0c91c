// Settings that a screenshot carries: what is restored is driven by keys, written, and read again.
#include "app/input.h"
#include "app/state.h"
#include "kernels.h"

static void drive(struct app *app, const uint8_t *data, size_t size)
{
    static const char *const keys[] = {"1", "2", "Up", "Down", "PgUp", ".", ">",   "u", "[", "]",
                                       "}", "b", "c",  "x",    "t",    "l", "Tab", "g", "Z", "z",
                                       "d", "n", "f",  "m",    "a",    "y", "e",   "w"};
    enum input_request asked;
    for (size_t i = 0; i < 60; i++)
        input_press(app, keys[(data[i * 13 % size] + i * 7) % G_N_ELEMENTS(keys)], &asked);
}

static void read_again(const struct app *app, const struct state_picture *picture)
{
    g_autofree struct app *again = g_new(struct app, 1);
    OWNED(state_picture_finish) struct state_picture same = {0};
    struct error err = {""};
    g_autofree char *text = state_write(app, picture);
    app_init(again, kernels(), 1);
    const bool is_read = state_read(again, &same, text, "again", &err);
    if (!is_read) g_printerr("%s\n%s\n", err.text, text);
    assert(is_read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {""};
    struct state_picture picture = {0};
    if (size < 1) return 0;
    g_autofree char *text = fuzz_text(data, size);
    g_autofree struct app *app = g_new(struct app, 1);
    app_init(app, kernels(), 1);
    if (state_read(app, &picture, text, "shot.png", &err)) {
        drive(app, data, size);
        read_again(app, &picture);
        state_picture_finish(&picture);
    } else {
        fuzz_check_refusal(&err);
    }
    return 0;
}
