// What the new process is started with when the driver keeps a buffer, and that it is started.
#include "unit.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/state.h"
#include "base/rows.h"
#include "frame/recording.h"
#include "viewer/restart.h"
#include "viewer/viewer.h"

static void assert_becomes(const char *before, struct restart with, const char *after)
{
    g_auto(GStrv) argv = g_strsplit(before, " ", -1);
    g_auto(GStrv) next = restart_arguments(argv, &with);
    g_autofree char *line = g_strjoinv(" ", next);
    assert_string_equal(line, after);
}

TEST(before_there_is_a_picture)
{
    const struct restart staged = {.path = "staged"};
    assert_becomes("tilescope", staged, "tilescope view --path=staged");
    assert_becomes("tilescope view a.png --radius 5", staged,
                   "tilescope view a.png --radius 5 --path=staged");
    assert_becomes("tilescope --path interop a.png --keys 3 --size 9x9", staged,
                   "tilescope view --path interop a.png --keys 3 --size 9x9 --path=staged");
    assert_becomes("tilescope --script x.tour -- --path view", staged,
                   "tilescope view --script x.tour --path=staged -- --path view");
}

// Keys and a tour's steps have been played. The window opens with neither.
TEST(in_the_state_that_was_shown)
{
    char *dropped[] = {"/b", NULL};
    assert_becomes("tilescope --resume old --restore shot.png",
                   (struct restart){.path = "staged", .size = "1x1", .state_path = "f"},
                   "tilescope view --resume old --restore shot.png --path=staged --size=1x1 "
                   "--resume=f --script=");
    assert_becomes("tilescope --script x.tour --from=2 a.png",
                   (struct restart){.state_path = "f", .script = "y.tour", .from = "4"},
                   "tilescope view --script x.tour --from=2 a.png --resume=f --script=y.tour "
                   "--from=4");
    assert_becomes("tilescope view a.png -- c",
                   (struct restart){.path = "staged", .state_path = "f", .dropped = dropped},
                   "tilescope view a.png --path=staged --resume=f --script= -- c /b");
}

TEST(with_the_times_that_were_shown)
{
    assert_becomes("tilescope a.png --times x.json",
                   (struct restart){.state_path = "f", .times = "y.json"},
                   "tilescope view a.png --times x.json --resume=f --script= --times=y.json");
}

// A file that is gone, or of which no times were shown, would end the lecture.
TEST(times_that_cannot_be_read_are_left_off)
{
    const struct device device = {.name = "X", .is_gpu = true, .max_threads = 1024};
    g_autofree char *path = NULL;
    close(g_file_open_tmp("tilescope-test-XXXXXX.json", &path, NULL));
    char *paths[] = {"/nowhere/other.json", path, NULL};
    const struct options options = {.data = NULL};
    struct viewer v = {.options = &options, .times = {.paths = paths, .shown = 2}};
    assert_string_equal(viewer_times_word(&v), "off");  // as one that Ctrl+T could not read
    v.times.recording =
        recording_create(&device, planes_shape(1, 1, 1), "2026-11-23", TILESCOPE_KERNELS);
    assert_true(recording_save(v.times.recording, path, NULL));
    assert_string_equal(viewer_times_word(&v), path);
    g_unlink(path);
    assert_string_equal(viewer_times_word(&v), "off");
    recording_destroy(v.times.recording);
}

// A file with that text; size -1: all of it. The caller frees its path.
static char *make_file(const char *text, gssize size)
{
    char *path = NULL;
    close(g_file_open_tmp("tilescope-test-XXXXXX", &path, NULL));
    assert_true(g_file_set_contents(path, text, size, NULL));
    return path;
}

static void assert_unread(const char *path, const char *why)
{
    struct viewer v = {.app.picture_count = 1};
    err.text[0] = '\0';
    g_autofree char *said = g_strdup_printf("cannot read '%s': %s", path, why);
    assert_false(restart_read(&v, path, &err));
    assert_string_equal(v.notes.text, "");
    assert_null(v.kernels.avoided);
    assert_string_equal(err.text, said);
}

TEST(a_state_that_is_no_text_is_refused)
{
    g_autofree char *path = make_file("0\n\0{}", 5);
    assert_unread(path, "it is not text");
    assert_unread(g_get_tmp_dir(), "it is a folder");
    assert_unread("/dev/zero", "it is not a regular file");
    g_unlink(path);
}

// It may be the user's own: also one that --dump-state wrote, which holds a state.
TEST(a_file_that_no_restart_wrote_is_kept)
{
    static const char *const texts[] = {"", "my notes\n", "{\"format\": 1}", "tilescope's notes\n",
                                        (" " RESTART_MARK)};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *path = make_file(texts[i], -1);
        assert_unread(path, "no restart of the program wrote it");
        assert_int_equal(g_unlink(path), 0);
    }
}

TEST(what_never_came_back_is_read)
{
    static const char plain[] = "//! filter \"Plain\"\n#include \"kernel.h\"\n"
                                "//! variant vector 32x8\n__global__ void plain_vector() {}\n";
    OWNED(filter_finish) struct filter filter;
    struct viewer v = {.notes.last = cJSON_CreateArray()};
    must(filter_parse(&filter, "plain.cu", plain, NULL, &err));
    const struct filter_list list = {&filter, 1};
    app_init(&v.app, &list, 3);
    cJSON *json = state_json(&v.app, &(struct state_picture){.is_grey = false});
    cJSON *facts = cJSON_AddObjectToObject(json, "facts");
    rows_add_members(facts, "picture%s note%s avoid%s", "2", "why it is", "plain/vector\na b/c");
    g_autofree char *text = rows_print_json(json);
    g_autofree char *marked = g_strconcat(RESTART_MARK, text, NULL);
    g_autofree char *path = make_file(marked, -1);
    must(restart_read(&v, path, &err));
    assert_int_equal(v.app.picture, 2);
    assert_string_equal(v.notes.text, "why it is");
    assert_string_equal(v.kernels.avoided[0], "plain/vector");
    assert_string_equal(v.kernels.avoided[1], "a b/c");
    assert_null(v.kernels.avoided[2]);
    g_strfreev(v.kernels.avoided);
    cJSON_Delete(v.notes.last);
    assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

// Runs what a watchdog would, in a child whose viewer has no stage yet. Returns its exit status;
// text: what it and this very program, which may replace it (main), have printed.
static int run_in_child(void (*act)(void *viewer), bool is_closing, char *text, size_t size)
{
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (!child) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        struct viewer v = {.input.is_closing = is_closing};
        act(&v);
    }
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    text[fread(text, 1, size - 1, said)] = '\0';
    fclose(said);
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(the_program_starts_again)
{
    char text[512];
    assert_int_equal(run_in_child(restart_staged, false, text, sizeof text), 0);
    const char *line = strchr(text, '\n');
    assert_non_null(line);
    assert_non_null(g_strstr_len(text, line - text, "--path staged"));
    assert_string_equal(line + 1, "view --path=staged\n");
}

TEST(an_endless_kernel_is_left_behind)
{
    char text[512];
    assert_int_equal(run_in_child(restart_from_endless, false, text, sizeof text), 0);
    assert_string_equal(text, "tilescope: a kernel does not come back, and a GPU cannot stop it: "
                              "starting again\nview\n");
    assert_int_equal(run_in_child(restart_from_endless, true, text, sizeof text), 0);
    assert_string_equal(text, "tilescope: a kernel does not come back, and a GPU cannot stop it: "
                              "ending without waiting for it\n");
}

int main(int argc, char **argv)
{
    if (argc > 2) return printf("%s %s\n", argv[1], argv[2]) < 0;
    if (argc > 1) return printf("%s\n", argv[1]) < 0;
    return unit_run("restart", NULL, NULL);
}
