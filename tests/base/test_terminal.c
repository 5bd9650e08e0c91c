// What reaches a terminal of texts that come from files.
#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/terminal.h"

#define BAD "\xef\xbf\xbd"

static const struct {
    const char *text, *clean;
} rows[] = {
    {"plain, 1×2 · Übung 日本語 📷\n\tnext", "plain, 1×2 · Übung 日本語 📷\n\tnext"},
    {"", ""},
    {"\033[2Jgone", BAD "[2Jgone"},
    {"over\rwritten\b\a", "over" BAD "written" BAD BAD},
    {"del\177", "del" BAD},
    {"c1 \xc2\x9b"
     "31m",
     "c1 " BAD "31m"},
    {"bad \xff\xfe utf", "bad " BAD BAD " utf"},
    {"\xe2\x80\xae"
     "gnp.exe",
     BAD "gnp.exe"},  // U+202E turns the text around
    {"a\xe2\x81\xa6"
     "b\xe2\x81\xa9",
     "a" BAD "b" BAD},                              // U+2066 and U+2069 do so in part
    {"in\xe2\x80\x8bvisible", "in" BAD "visible"},  // U+200B
    {"two\xe2\x80\xa8lines", "two" BAD "lines"},    // U+2028
};

TEST(texts_are_cleaned)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *clean = terminal_clean(rows[i].text), *printed = NULL;
        size_t size;
        FILE *to = open_memstream(&printed, &size);
        terminal_print(to, "%d: %s", 7, rows[i].text);
        fclose(to);
        assert_string_equal(clean, rows[i].clean);
        assert_string_equal(printed + 3, rows[i].clean);
        free(printed);
        g_free(clean);
    }
}

// In a file, a line each time that it is due; quiet, nothing.
TEST(progress_in_a_file)
{
    for (int is_quiet = 0; is_quiet < 2; is_quiet++) {
        char text[64] = "";
        FILE *to = tmpfile();
        assert_non_null(to);
        struct terminal_progress p;
        terminal_progress_begin(&p, to, is_quiet);
        p.every_us = 0;
        if (terminal_progress_is_due(&p)) terminal_progress_show(&p, "%d %%\a", 7);
        if (terminal_progress_is_due(&p)) terminal_progress_show(&p, "8 %%");
        terminal_progress_end(&p);
        rewind(to);
        text[fread(text, 1, sizeof text - 1, to)] = '\0';
        assert_string_equal(text, is_quiet ? "" : "7 %" BAD "\n8 %\n");
        fclose(to);
    }
}

TEST(no_progress_follows_a_signal)
{
    struct terminal_progress p;
    sigset_t interrupt;
    int number = 0;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    terminal_progress_begin(&p, stderr, false);
    p.every_us = 0;
    signals_block();
    assert_true(terminal_progress_is_due(&p));
    kill(getpid(), SIGINT);
    const bool is_due = terminal_progress_is_due(&p);
    assert_int_equal(sigwait(&interrupt, &number), 0);  // takes it before it ends the test
    signals_release();
    assert_int_equal(number, SIGINT);
    assert_false(is_due);
}
