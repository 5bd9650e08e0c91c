// manual.c -- what is made from the tables of commands, options and keys: `tilescope --man`, the
// page of the manual, and `tilescope --complete WORD…`, what a shell may complete.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "base/terminal.h"
#include "commands/commands.h"

static const char about[] =
    "Tilescope runs filters over a picture, and labs over arrays. Each of them has several "
    "variants of its kernel, which give the same result in different times. In the window one key "
    "changes the filter or lab, the variant, its parameters or the block of threads, and the "
    "picture and the kernel's time follow. Kernels run on an NVIDIA GPU. Without one, a C++ "
    "compiler compiles them for the CPU.";

struct entry {
    const char *name, *text;
};

static const struct entry lessons[] = {
    {"tilescope tours", "Lists the tours, which are lectures that play in the window: captions, "
                        "keys, and claims that are judged with this machine's figures."},
    {"tilescope view --script banks",
     "Plays one. Space goes on, and a digit goes to a step; --from begins at one."},
    {"tilescope tour banks --report banks.html",
     "Judges its claims without a window, and writes a hand-out for students: pictures, figures, "
     "kernels, and the commands that repeat each step."},
    {"tilescope grade --skeleton transpose > my.cu",
     "Prints the file with which a student begins. Put into the folder kernels/labs of a copy of "
     "the program's folder of data, it is a lab of `tilescope view --data DIR`."},
    {"tilescope lens saxpy.cu",
     "Counts the traffic of a CUDA file of one's own, which every command takes in a lab's place. "
     "Notes that it lacks are guessed; tilescope adopt writes them down."},
    {"tilescope grade my.cu --against transpose",
     "Says whether the student's kernel is exact at awkward sizes, has no races and no accesses "
     "outside its arrays, and what it asks of memory, with points. --json writes that for "
     "an autograder."},
};

static const char trust[] =
    "A kernel file is a program. view, render, run, bench, lens and tour compile and run files of "
    "--data, and those that you name. They run with your rights: on the CPU a kernel may do "
    "whatever a program of yours may. "
    "Only grade shuts a file in. Read files that you do not trust before you open them.";

static const struct entry environment[] = {
    {"CC", "The C++ compiler for kernels on the CPU. Without it: cc, gcc or clang."},
    {"TILESCOPE_CACHE", "The folder for compiled kernels, by default tilescope in the user's "
                        "folder of caches. If it is empty, nothing is kept."},
    {"TILESCOPE_NVRTC", "The library NVRTC, or its folder, if it is not where it is expected."},
    {"CUDA_HOME", "Where a CUDA toolkit is looked for: NVRTC, and nvdisasm if it is not on PATH."},
    {"TILESCOPE_THREADS", "How many threads run kernels on the CPU. By default, one a processor."},
};

static const struct entry statuses[] = {
    {"0", "Everything was done."},
    {"1", "The command was refused or a result is wrong. One line on stderr says why."},
    {"2", "The command line is wrong."},
    {"130", "Ctrl-C ended the command."},
};

// Appends text as roff: special characters and all but ASCII by their names.
static void append(GString *page, const char *text)
{
    bool is_line_start = true;
    for (; *text; text = g_utf8_next_char(text)) {
        const gunichar c = g_utf8_get_char(text);
        if (is_line_start && (c == '.' || c == '\'')) g_string_append(page, "\\&");
        if (c == '\\')
            g_string_append(page, "\\(rs");
        else if (c == '-')
            g_string_append(page, "\\-");
        else if (c == '\'')
            g_string_append(page, "\\(aq");
        else if (c < 128)
            g_string_append_c(page, (char)c);
        else
            g_string_append_printf(page, "\\[u%04X]", c);
        is_line_start = c == '\n';
    }
}

// An ASCII terminal shows these instead.
static const char without_glyphs[] = ".fchar \\[u2026] ...\n.fchar \\[ua] Up\n.fchar \\[da] Down\n";

// A paragraph with its name, which may have a value, before it.
static void append_entry(GString *page, const char *name, const char *value, const char *text)
{
    g_string_append(page, ".TP\n\\fB");
    append(page, name);
    g_string_append(page, "\\fR");
    if (value) {
        g_string_append(page, " \\fI");
        append(page, value);
        g_string_append(page, "\\fR");
    }
    g_string_append_c(page, '\n');
    append(page, text);
    g_string_append_c(page, '\n');
}

static void append_entries(GString *page, const struct entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) append_entry(page, entries[i].name, NULL, entries[i].text);
}

enum outcome command_manual(const struct command *const *commands, int count)
{
    g_autoptr(GString) page =
        g_string_new(".TH TILESCOPE 1 \"\" \"Tilescope " TILESCOPE_VERSION "\"\n");
    g_string_append(page, without_glyphs);
    g_string_append(page, ".SH NAME\ntilescope \\- a microscope for GPU memory\n");
    g_autofree char *keys = command_keys();
    g_string_append(page, ".SH SYNOPSIS\n.nf\n");
    for (int i = 0; i < count; i++) {
        g_string_append(page, "\\fBtilescope\\fR ");
        append(page, commands[i]->usage);
        g_string_append_c(page, '\n');
    }
    g_string_append(page, ".fi\n.SH DESCRIPTION\n");
    append(page, about);
    g_string_append(page, "\n.SH COMMANDS\n");
    for (int i = 0; i < count; i++) {
        struct option_facts facts[OPTIONS_MAX_LISTED];
        const int options = options_list(commands[i]->options, facts, OPTIONS_MAX_LISTED);
        g_string_append_printf(page, ".SS %s\n", commands[i]->name);
        append(page, commands[i]->summary);
        g_string_append_c(page, '\n');
        for (const struct option_facts *o = facts; o < facts + options; o++) {
            g_autofree char *name = o->letter ? g_strdup_printf("-%c, --%s", o->letter, o->name)
                                              : g_strdup_printf("--%s", o->name);
            append_entry(page, name, o->value, o->help);
        }
    }
    g_string_append(page, ".SH TEACHING\n");
    append_entries(page, lessons, G_N_ELEMENTS(lessons));
    g_string_append(page, ".SH SECURITY\n");
    append(page, trust);
    g_string_append(page, "\n.SH KEYS\n.nf\n");
    append(page, keys);
    g_string_append(page, ".fi\n.SH ENVIRONMENT\n");
    append_entries(page, environment, G_N_ELEMENTS(environment));
    g_string_append(page, ".SH EXIT STATUS\n");
    append_entries(page, statuses, G_N_ELEMENTS(statuses));
    g_string_append(page, ".SH SEE ALSO\n");
    append(page, "README.md, docs/tours.md (how to write a tour), docs/grading.md and "
                 "kernels/README.md (how to write a kernel), which are installed as the "
                 "documentation of the package, in share/doc/tilescope.");
    g_string_append_c(page, '\n');
    terminal_print(stdout, "%s", page->str);
    return OUTCOME_DONE;
}

// ---- completion ----

static void offer(const char *beginning, const char *word, const char *help)
{
    if (g_str_has_prefix(word, beginning)) terminal_print(stdout, "%s\t%s\n", word, help);
}

// Prints what the unfinished last word may become: a line each, with a tab and what it does.
// packaging/completion has the scripts for bash, zsh and fish that ask. They complete files
// themselves, also where nothing is printed.
enum outcome command_complete(const struct command *const *commands, int count, char *const *words)
{
    const int with_all =
        OPTIONS_VIEW | OPTIONS_SASS | OPTIONS_RENDER | OPTIONS_BENCH | OPTIONS_LENS;
    const int with_labs = with_all | OPTIONS_RUN;  // only labs are run with files
    struct option_facts facts[OPTIONS_MAX_LISTED];
    const int last = (int)g_strv_length((char **)words) - 1;
    const char *beginning = last >= 0 ? words[last] : "";
    const struct command *command = commands[0];  // view's options need no command
    for (int i = 0; i < count; i++)
        if (last > 0 && !strcmp(commands[i]->name, words[0])) command = commands[i];
    if (last <= 0) offer(beginning, "--version", "the program's version");
    for (int i = 0; i < count && last <= 0; i++)
        offer(beginning, commands[i]->name, commands[i]->summary);
    const int listed = options_list(command->options, facts, OPTIONS_MAX_LISTED);
    for (int i = 0; i < listed && (last <= 0 || *beginning == '-'); i++) {
        g_autofree char *name = g_strconcat("--", facts[i].name, NULL);
        offer(beginning, name, facts[i].help);
    }
    // The names that may stand in a picture's place.
    const struct options nothing = {0};
    OWNED(filter_list_finish) struct filter_list filters = {0};
    struct error err;
    if (*beginning == '-') return OUTCOME_DONE;
    command_load_filters(&filters, &nothing, NULL, &err);  // without files there are no names
    for (int i = 0; i < filters.count; i++) {
        const struct filter *f = &filters.filters[i];
        if ((int)command->options & (filter_has_picture(f) ? with_all : with_labs))
            offer(beginning, f->name, f->title);
    }
    return OUTCOME_DONE;
}
