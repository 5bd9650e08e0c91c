#include "app/options.h"

#include <glib.h>
#include <string.h>

#include "base/data.h"
#include "base/suggest.h"
#include "device/backend.h"
#include "screen/overlay.h"

enum {
    ALL = OPTIONS_VIEW | OPTIONS_RENDER | OPTIONS_LIST | OPTIONS_DEVICES | OPTIONS_BENCH |
          OPTIONS_RUN | OPTIONS_LENS | OPTIONS_GRADE | OPTIONS_TOUR | OPTIONS_TOURS | OPTIONS_SASS,
    ONE = OPTIONS_VIEW | OPTIONS_RENDER,  // one variant at a time
    RUNS = ONE | OPTIONS_BENCH,
    RUN = ONE | OPTIONS_RUN,
    LENS = OPTIONS_LENS,
    SASS = OPTIONS_SASS,
    TOUR = OPTIONS_TOUR
};

static const double NOT_GIVEN = -G_MAXDOUBLE;
enum { BUDGET_S = 60, RECORD_S = 540 };  // unless --budget says otherwise

// FILENAME keeps the text as it was given. STRING would be refused where the locale lacks one of
// its characters.
#define AT(member)     .offset = offsetof(struct options, member)
#define TEXT(member)   .kind = G_OPTION_ARG_FILENAME, AT(member)
#define TEXTS(member)  .kind = G_OPTION_ARG_FILENAME_ARRAY, AT(member)
#define FLAG(member)   .kind = G_OPTION_ARG_NONE, AT(member)
#define NUMBER(member) .kind = G_OPTION_ARG_DOUBLE, AT(member)

// To add an option: a member of struct options, and a row here.
static const struct row {
    int commands;  // that take it
    const char *name;
    GOptionArg kind;
    size_t offset;             // of its member
    const char *help, *value;  // help NULL: the option is not listed
    char letter;               // 0: none
} table[] = {
    {ONE | LENS, "filter", TEXT(filter), "filter or lab (default mean)", "NAME"},
    {RUN | LENS | SASS, "variant", TEXT(variant), "variant of the filter or lab", "NAME"},
    {ONE | LENS | SASS, "radius", TEXT(radius), "radius in pixels", "N"},
    {RUN | LENS, "block", TEXT(block), "threads of a block", "WxH"},
    {RUN | SASS, "unroll", FLAG(is_unrolled), "compile for these params"},
    {OPTIONS_BENCH, "filter", TEXT(filter), "a list, all, or labs (default mean)", "F"},
    {OPTIONS_BENCH, "variant", TEXT(variant), "a list, or all (default)", "V"},
    {OPTIONS_BENCH, "radius", TEXT(radius), "5, 1..9, 1..64x2, 1,2,4, or all", "N"},
    {OPTIONS_BENCH, "sweep", TEXT(sweep),
     "go through that param, by doubling unless --param lists its values", "NAME"},
    {OPTIONS_BENCH, "param", TEXTS(params), "a param's value, or several as for --radius",
     "NAME=N"},
    {OPTIONS_BENCH, "block", TEXT(block), "32x8, a list, or all", "WxH"},
    {OPTIONS_BENCH, "unroll", TEXT(unroll), "on, off (default) or both", "U"},
    {OPTIONS_BENCH, "size", TEXT(size),
     "noise of that size instead of a picture (default 1920x1080)", "WxH"},
    {OPTIONS_BENCH | TOUR, "budget", NUMBER(budget_s), "seconds for all measuring (default 60)",
     "SECONDS"},
    {TOUR, "report", TEXT(report), "the hand-out to write, an .html file", "FILE"},
    {OPTIONS_BENCH, "cpu", FLAG(with_cpu), "also the obvious loop on the CPU, one thread and all"},
    {OPTIONS_BENCH | OPTIONS_RUN | LENS, "quiet", FLAG(is_quiet), "no words about progress",
     .letter = 'q'},
    {OPTIONS_BENCH, "format", TEXT(format), "table, csv or json", "F"},
    {OPTIONS_BENCH, "plot", TEXT(plot),
     "also draw time over radius, or over blocks: .svg, .pdf or .png", "FILE"},
    {OPTIONS_BENCH, "record", TEXT(record),
     "measure all, and keep the times for computers without this device", "FILE"},
    {OPTIONS_VIEW | OPTIONS_BENCH | TOUR, "times", TEXT(times),
     "times of a GPU that were recorded: a name, a file, or off", "RUN"},
    {OPTIONS_COMPARE, "plot", TEXT(plot), "also draw the times of both: .svg, .pdf or .png",
     "FILE"},
    {OPTIONS_COMPARE, "ignore", TEXT(ignore),
     "pair rows that differ in filter, variant, params, block, unroll or size", "COLUMNS"},
    {RUN | LENS | SASS, "param", TEXTS(params), "a param of the filter or lab", "NAME=VALUE"},
    {OPTIONS_RUN, "in", TEXTS(ins), "a .npy or .bin file that fills an array", "NAME=FILE"},
    {OPTIONS_RUN, "out", TEXTS(outs), "a .npy or .bin file for an array", "NAME=FILE"},
    {RUNS | OPTIONS_DEVICES | OPTIONS_RUN | TOUR, "device", TEXT(device),
     "auto, cuda, cuda:N or cpu", "D"},
    {OPTIONS_VIEW | OPTIONS_DEVICES, "path", TEXT(path), "auto, interop, staged or cpu", "P"},
    {ALL, "data", TEXT(data), "folder with kernels/, shaders/ and tours/", "DIR"},
    {RUNS | LENS | TOUR, "gray", FLAG(is_grey), "read pictures as grey"},
    {RUNS | LENS | TOUR, "grey", FLAG(is_grey)},
    {OPTIONS_RENDER, "output", TEXT(output), "PNG file to write", "FILE", 'o'},
    {OPTIONS_ADOPT, "output", TEXT(output), "file to write instead of printing it", "FILE", 'o'},
    {OPTIONS_RENDER, "array", TEXT(array), "array of a lab (default the first that it writes)",
     "NAME"},
    {OPTIONS_RENDER, "sheet", FLAG(is_sheet),
     "all variants, or a list of them, side by side with their times"},
    {OPTIONS_RENDER, "budget", NUMBER(budget_s), "seconds to measure a sheet (default 60)",
     "SECONDS"},
    {ONE, "restore", TEXT(restore), "with the settings that this PNG of Tilescope carries", "PNG"},
    {LENS, "block-at", TEXT(block_at), "the block of that pixel alone, not the whole launch",
     "X,Y"},
    {LENS, "all", FLAG(is_all), "a line for each variant"},
    {LENS, "lines", FLAG(has_lines), "the source lines, too"},
    {OPTIONS_GRADE, "against", TEXT(against), "the filter or lab that the file is to solve", "LAB"},
    {OPTIONS_GRADE, "variant", TEXT(variant), "variant of the file (default its last)", "NAME"},
    {OPTIONS_GRADE, "json", TEXT(json), "also write the grade for an autograder", "FILE"},
    {OPTIONS_GRADE, "seed", TEXT(seed), "draws the sizes (default another one each time)", "N"},
    {OPTIONS_GRADE, "skeleton", TEXT(skeleton), "print a file to begin with, and nothing else",
     "LAB"},
    {OPTIONS_GRADE, "without-sandbox", FLAG(without_sandbox),
     "grade even where the system cannot shut the kernel in"},
    {LENS | TOUR, "size", TEXT(size), "grey noise of that size instead of a picture", "WxH"},
    {SASS, "arch", TEXT(arch), "for which GPU (default: this one, or sm_90)", "sm_N"},
    {LENS, "arch", TEXT(arch), "also count instructions, as compiled for that GPU", "sm_N"},
    {SASS, "ptx", FLAG(is_ptx), "PTX, which NVRTC makes first, in place of SASS"},
    {LENS | SASS, "format", TEXT(format), "table, csv or json", "F"},
    {OPTIONS_LIST, "rewritten", FLAG(is_rewritten),
     "instead, the text that a CPU runs for a FILE's kernels", NULL},
    {OPTIONS_LIST | OPTIONS_DEVICES, "format", TEXT(format), "text or json", "F"},
    {OPTIONS_VIEW, "keys", TEXT(keys), "keys to play, such as \"3 Up Up s q\"", "KEYS"},
    {OPTIONS_VIEW, "shots", TEXT(shots), "folder for screenshots", "DIR"},
    {OPTIONS_VIEW, "clean", FLAG(is_clean), "screenshots without the overlay"},
    {OPTIONS_VIEW, "script", TEXT(script), "a tour: lines of keys, captions and claims", "TOUR"},
    {OPTIONS_VIEW, "from", TEXT(from), "begin the tour at that step", "STEP"},
    {OPTIONS_VIEW, "dump-state", TEXT(dump_state), "JSON file kept up to date with what is shown",
     "FILE"},
    {OPTIONS_VIEW, "reduce-above", NUMBER(reduce_above_ms),
     "show pictures reduced where a CPU takes longer a frame (100; 0: never)", "MS"},
    {OPTIONS_VIEW, "size", TEXT(size), "size of the window", "WxH"},
    {OPTIONS_VIEW, "bare", FLAG(is_bare), "start without the overlay"},
    {OPTIONS_VIEW, "light", FLAG(is_light), "start with the light theme"},
    {OPTIONS_VIEW, "text-scale", NUMBER(text_scale), "size of the text, 0.5 to 4", "X"},
    {OPTIONS_VIEW, "file", TEXT(file)},       // restart.h writes it, in place of one that is named
    {OPTIONS_VIEW, "resume", TEXT(resume)},   // what restart.h writes
    {OPTIONS_VIEW, "probe", FLAG(is_probe)},  // `devices` runs it
    {ALL | OPTIONS_COMPARE | OPTIONS_ADOPT, "help", FLAG(wants_help), "this text", .letter = 'h'},
    {~(OPTIONS_DEVICES | OPTIONS_TOURS), G_OPTION_REMAINING, TEXTS(pictures)},
};

static void *member_of(struct options *o, const struct row *row)
{
    return (char *)o + row->offset;
}

static GOptionContext *make_context(struct options *o, enum options_of command)
{
    GOptionEntry entries[G_N_ELEMENTS(table) + 1] = {{0}};
    int count = 0;
    for (const struct row *row = table; row < table + G_N_ELEMENTS(table); row++)
        if (row->commands & (int)command)
            entries[count++] = (GOptionEntry){.long_name = row->name,
                                              .short_name = row->letter,
                                              .flags = row->help ? 0 : G_OPTION_FLAG_HIDDEN,
                                              .arg = row->kind,
                                              .arg_data = member_of(o, row),
                                              .description = row->help,
                                              .arg_description = row->value};
    GOptionContext *context = g_option_context_new(NULL);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_add_main_entries(context, entries, NULL);
    return context;
}

static bool is_word_of(const char *word, const char *const *words)
{
    return !word || g_strv_contains(words, word);
}

// Finds mistakes that show without opening anything.
static bool check(const struct options *o, enum options_of command, struct error *err)
{
    static const char *const paths[] = {"auto", "interop", "staged", "cpu", NULL};
    static const char *const texts[] = {"text", "json", NULL};
    static const char *const tables[] = {"table", "csv", "json", NULL};
    if (o->device && !backend_is_name(o->device))
        return error_set(err, "unknown device '%s'; known are auto, cuda, cuda:N and cpu",
                         o->device);
    if (!is_word_of(o->path, paths))
        return error_set(err, "unknown path '%s'; known are auto, interop, staged and cpu",
                         o->path);
    const bool is_table =
        command == OPTIONS_BENCH || command == OPTIONS_LENS || command == OPTIONS_SASS;
    if (!is_word_of(o->format, is_table ? tables : texts))
        return error_set(err, "unknown format '%s'; known are %s", o->format,
                         is_table ? "table, csv and json" : "text and json");
    const struct {
        const char *name;
        bool is_given;
    } rows[] = {{"filter", o->filter},  {"variant", o->variant},    {"radius", o->radius},
                {"block", o->block},    {"unroll", o->is_unrolled}, {"param", o->params},
                {"sheet", o->is_sheet}, {"array", o->array}};
    for (size_t i = 0; o->restore && i < G_N_ELEMENTS(rows); i++)
        if (rows[i].is_given)
            return error_set(err, "--restore says what to run: --%s does not go with it",
                             rows[i].name);
    if (!(o->budget_s > 0 && o->budget_s <= 1e6))
        return error_set(err, "budget %g is not a number of seconds above 0", o->budget_s);
    if (!(o->reduce_above_ms >= 0 && o->reduce_above_ms <= 1e9))
        return error_set(err, "reduce above %g is not a number of milliseconds, or 0",
                         o->reduce_above_ms);
    if (!(o->text_scale >= OVERLAY_MIN_SCALE && o->text_scale <= OVERLAY_MAX_SCALE))
        return error_set(err, "text scale %g is outside [%g, %g]", o->text_scale, OVERLAY_MIN_SCALE,
                         OVERLAY_MAX_SCALE);
    return true;
}

// Takes a word as the kernel file if it is one's path, and leaves its name.
static bool take_file(struct options *o, char **word, struct error *err)
{
    if (!*word || !g_str_has_suffix(*word, ".cu")) return true;
    if (o->file && strcmp(o->file, *word) != 0)
        return error_set(err, "one kernel file is taken, not '%s' and '%s'", o->file, *word);
    char *name = filter_name_of(*word);
    g_free(o->file);
    o->file = *word;
    *word = name;
    return true;
}

// A kernel file in a picture's place becomes --filter's word, unless --restore says what to run.
static bool take_files(struct options *o, enum options_of command, struct error *err)
{
    enum { NAMES_ONE = ONE | OPTIONS_BENCH | LENS | SASS | OPTIONS_RUN | OPTIONS_LIST };
    char *const later = g_steal_pointer(&o->file);
    if (command == OPTIONS_GRADE)
        return take_file(o, &o->skeleton, err) && take_file(o, &o->against, err);
    if (!((int)command & NAMES_ONE)) return true;
    bool is_good = take_file(o, &o->filter, err);
    char **kept = o->pictures;
    for (char **word = o->pictures; word && *word; word++) {
        const bool is_file = g_str_has_suffix(*word, ".cu");
        is_good = is_good && take_file(o, word, err);
        if (is_good && command == OPTIONS_LIST && !is_file)
            is_good = error_set(err, "unexpected argument '%s'", *word);
        if (is_good && is_file && !o->restore && o->filter && strcmp(o->filter, *word) != 0)
            is_good = error_set(err, "'%s' is named, and --filter %s, too", o->file, o->filter);
        if (!is_good || !is_file || command == OPTIONS_RUN) {
            *kept++ = *word;
        } else {
            g_free(o->filter);
            o->filter = o->restore ? NULL : g_strdup(*word);
            g_free(*word);
        }
    }
    if (kept) *kept = NULL;
    if (!later) return is_good;
    g_free(o->file);
    g_free(o->filter);
    o->filter = filter_name_of(o->file = later);
    return is_good;
}

bool options_parse(struct options *o, enum options_of command, int argc, char **argv,
                   struct error *err)
{
    *o = (struct options){.text_scale = 1, .budget_s = NOT_GIVEN, .reduce_above_ms = 100};
    g_autofree char **words = g_new0(char *, argc + 1);  // the parser takes out what it has read
    for (int i = 0; i < argc; i++) words[i] = argv[i];
    // --unroll without a word switches it on, as it does for the other commands.
    for (int i = 1; command == OPTIONS_BENCH && i < argc && strcmp(words[i], "--") != 0; i++)
        if (!strcmp(words[i], "--unroll") && (i + 1 == argc || words[i + 1][0] == '-'))
            words[i] = "--unroll=on";

    GOptionContext *context = make_context(o, command);
    GError *why = NULL;
    bool is_good = g_option_context_parse(context, &argc, &words, &why);
    if (!is_good) error_set(err, "%s", why->message);
    if (g_error_matches(why, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)) {
        // GLib's message ends with the option as it was written.
        const char *word = strstr(err->text, "--");
        g_autoptr(GString) names = g_string_new(NULL);
        for (const struct row *row = table; row < table + G_N_ELEMENTS(table); row++)
            if (row->commands & (int)command && row->help)
                g_string_append_printf(names, "--%s ", row->name);
        if (word) {
            g_autofree char *name = g_strndup(word, strcspn(word, "="));
            suggest(err, name, names->str);
        }
    }
    if (o->budget_s == NOT_GIVEN) o->budget_s = o->record ? RECORD_S : BUDGET_S;
    if (is_good && argc > 1) is_good = error_set(err, "unexpected argument '%s'", words[1]);
    if (is_good) is_good = check(o, command, err) && take_files(o, command, err);
    // Sample pictures that the program comes with are known by their names, where no file is.
    for (char **word = o->pictures; is_good && word && *word; word++) {
        g_autofree char *sample = options_sample(*word);
        const bool is_sample = **word && !strchr(*word, '/') &&
                               !g_file_test(*word, G_FILE_TEST_EXISTS) &&
                               g_file_test(sample, G_FILE_TEST_IS_REGULAR);
        if (is_sample) {
            g_free(*word);
            *word = g_steal_pointer(&sample);
        }
    }
    g_clear_error(&why);
    g_option_context_free(context);
    if (!o->pictures) o->pictures = g_new0(char *, 1);
    if (!is_good) options_finish(o);
    return is_good;
}

void options_finish(struct options *o)
{
    for (const struct row *row = table; row < table + G_N_ELEMENTS(table); row++) {
        if (row->kind == G_OPTION_ARG_FILENAME) g_clear_pointer((char **)member_of(o, row), g_free);
        if (row->kind == G_OPTION_ARG_FILENAME_ARRAY)
            g_clear_pointer((char ***)member_of(o, row), g_strfreev);
    }
    *o = (struct options){0};
}

char *options_help(enum options_of command, const char *usage, const char *about)
{
    struct options unused = {0};
    GOptionContext *context = make_context(&unused, command);
    g_autofree char *all = g_option_context_get_help(context, TRUE, NULL);
    const char *list = strstr(all, "\n\n");  // behind GLib's own usage line
    char *text = g_strdup_printf("Usage: %s\n\n%s%s", usage, about, list ? list : "");
    g_option_context_free(context);
    return text;
}

int options_list(enum options_of command, struct option_facts *facts, int max)
{
    int count = 0;
    for (const struct row *row = table; row < table + G_N_ELEMENTS(table) && count < max; row++)
        if (row->commands & (int)command && row->help)
            facts[count++] = (struct option_facts){row->name, row->value, row->help, row->letter};
    return count;
}

// ---- folders ----

// DIR/name of --data when it holds `file` (NULL: when it exists), else the program's own.
static char *folder_with(const struct options *o, const char *name, const char *file)
{
    g_autofree char *own = o->data ? g_build_filename(o->data, name, file, NULL) : NULL;
    return own && g_file_test(own, G_FILE_TEST_EXISTS) ? g_build_filename(o->data, name, NULL)
                                                       : data_path(name);
}

char *options_folder(const struct options *o, const char *name)
{
    return folder_with(o, name, NULL);
}

char *options_kernel_folder(const struct options *o)
{
    // Given: it must be there.
    return o->data ? g_build_filename(o->data, "kernels", NULL) : data_path("kernels");
}

char *options_include_folder(const struct options *o)
{
    return folder_with(o, "kernels", "kernel.h");
}

bool options_lends_tours(const struct options *o)
{
    g_autofree char *own = o->data ? g_build_filename(o->data, "tours", NULL) : NULL;
    return own && !g_file_test(own, G_FILE_TEST_EXISTS);
}

char *options_sample(const char *name)
{
    g_autofree char *assets = data_path("assets");
    return g_build_filename(assets, name, NULL);
}

// ---- what to run ----

struct choice_words options_words(const struct options *o)
{
    return (struct choice_words){.filter = o->filter,
                                 .variant = o->variant,
                                 .radius = o->radius,
                                 .block = o->block,
                                 .params = o->params,
                                 .is_unrolled = o->is_unrolled};
}
