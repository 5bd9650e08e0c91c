// The command line: what is understood, and that every mistake is called by its name.
#include "unit.h"

#include "app/options.h"
#include "texts.h"

static int load(void **state)
{
    static const char *const files[][2] = {
        {"gaussian.cu", "//! filter \"Gaussian\"\n//! param radius 3 [0, 64] pixels\n"
                        "//! param sigma float 0 [0, 12.5] width\n" NAIVE ANOTHER("shared")},
        {"invert.cu", "//! filter \"Invert\"\n" NAIVE ANOTHER("vector")},
        {"mean.cu", "//! filter \"Mean\"\n//! param radius 3 [0, 64]\n" NAIVE},
    };
    return parse_filters(&filters, files, G_N_ELEMENTS(files));
}

// Words of a command line, at blanks; "~" stands for a blank within a word.
static bool parse(struct options *o, enum options_of command, const char *line)
{
    g_autofree char *whole = g_strconcat("command ", line, NULL);
    g_auto(GStrv) argv = g_strsplit(g_strchomp(whole), " ", -1);
    for (char **word = argv; *word; word++) g_strdelimit(*word, "~", ' ');
    return options_parse(o, command, (int)g_strv_length(argv), argv, &err);
}

static void assert_unparsed(enum options_of command, const char *line, const char *message)
{
    struct options o;
    err.text[0] = '\0';
    if (parse(&o, command, line)) fail_msg("accepted: %s", line);
    assert_string_equal(err.text, message);
}

// Each of some words, at its place in the line and in the message.
static void assert_each(enum options_of command, const char *words, const char *line,
                        const char *message)
{
    g_auto(GStrv) all = g_strsplit(words, " ", -1);
    for (char **word = all; *word; word++) {
        g_autofree char *whole = g_strdup_printf(line, *word),
                        *text = g_strdup_printf(message, *word);
        assert_unparsed(command, whole, g_strdelimit(text, "~", ' '));
    }
}

// ---- parsing ----

#define TEXT(member)  #member, offsetof(struct options, member), 't'
#define TEXTS(member) #member, offsetof(struct options, member), 's'
#define FLAG(member)  #member, offsetof(struct options, member), 'f'

// What was given, in the order of struct options: "filter=mean,is_grey". The caller frees it.
static char *told(const struct options *o)
{
    static const struct {
        const char *name;
        size_t offset;
        char kind;
    } members[] = {
        {TEXTS(pictures)},      {TEXT(filter)},   {TEXT(variant)},    {TEXT(block)},
        {TEXT(radius)},         {TEXT(device)},   {TEXT(path)},       {TEXT(data)},
        {TEXT(output)},         {TEXT(format)},   {TEXT(keys)},       {TEXT(shots)},
        {TEXT(size)},           {TEXT(unroll)},   {TEXT(plot)},       {TEXT(sweep)},
        {TEXT(ignore)},         {TEXT(array)},    {TEXT(restore)},    {TEXT(resume)},
        {TEXT(script)},         {TEXT(from)},     {TEXT(dump_state)}, {TEXTS(params)},
        {TEXTS(ins)},           {TEXTS(outs)},    {FLAG(is_quiet)},   {FLAG(is_unrolled)},
        {FLAG(is_grey)},        {FLAG(is_bare)},  {FLAG(is_light)},   {FLAG(wants_help)},
        {FLAG(is_probe)},       {FLAG(with_cpu)}, {FLAG(is_sheet)},   {FLAG(is_clean)},
        {TEXT(block_at)},       {TEXT(report)},   {TEXT(against)},    {TEXT(skeleton)},
        {TEXT(json)},           {TEXT(seed)},     {FLAG(has_lines)},  {FLAG(is_all)},
        {FLAG(without_sandbox)}};
    GString *all = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(members); i++) {
        const void *at = (const char *)o + members[i].offset;
        char *const one[] = {members[i].kind == 't' ? *(char *const *)at : NULL, NULL};
        char *const *texts = members[i].kind == 's' ? *(char *const *const *)at : one;
        const char *between = all->len ? "," : "";
        if (members[i].kind == 'f' && *(const int *)at)
            g_string_append_printf(all, "%s%s", between, members[i].name);
        for (; members[i].kind != 'f' && texts && *texts; texts++, between = ",")
            g_string_append_printf(all, "%s%s=%s", between, members[i].name, *texts);
    }
    if (o->text_scale != 1) g_string_append_printf(all, ",text_scale=%g", o->text_scale);
    if (o->reduce_above_ms != 100)
        g_string_append_printf(all, ",reduce_above_ms=%g", o->reduce_above_ms);
    if (o->budget_s != 60) g_string_append_printf(all, ",budget_s=%g", o->budget_s);
    return g_string_free(all, FALSE);
}

// Everything that is given arrives, and nothing else; any bytes are taken.
TEST(good_lines)
{
    static const struct {
        enum options_of command;
        const char *line, *told;
    } rows[] = {
        {OPTIONS_VIEW, "", ""},
        {OPTIONS_VIEW,
         "a.png --filter gaussian --variant=shared --radius 5 --block 16×16 --unroll "
         "--param sigma=1.5 --param radius=7 --device cuda:1 --path staged --data . --grey "
         "--keys 3~Up~↑ --shots /tmp --size 1280×720 --bare --light --text-scale 1.5 "
         "--clean --script a~b.tour --dump-state ä.json b~ä.png",
         "pictures=a.png,pictures=b ä.png,filter=gaussian,variant=shared,block=16×16,radius=5,"
         "device=cuda:1,path=staged,data=.,keys=3 Up ↑,shots=/tmp,size=1280×720,script=a b.tour,"
         "dump_state=ä.json,params=sigma=1.5,params=radius=7,is_unrolled,is_grey,is_bare,is_light,"
         "is_clean,text_scale=1.5"},
        {OPTIONS_VIEW, "--reduce-above 0", ",reduce_above_ms=0"},
        {OPTIONS_VIEW, "--restore=\xff.png b.png --light --clean",
         "pictures=b.png,restore=\xff.png,is_light,is_clean"},
        {OPTIONS_VIEW, "--probe --device auto --path cpu -h",
         "device=auto,path=cpu,wants_help,is_probe"},
        {OPTIONS_RENDER, "in.png -o out.png --gray", "pictures=in.png,output=out.png,is_grey"},
        {OPTIONS_RENDER, "--output=a~b.png -- -odd.png --filter",
         "pictures=-odd.png,pictures=--filter,output=a b.png"},
        {OPTIONS_RENDER, "--sheet a.png -o out.png --variant a,b --budget 2.5",
         "pictures=a.png,variant=a,b,output=out.png,is_sheet,budget_s=2.5"},
        {OPTIONS_RENDER, "--restore a~b.png --gray --device cpu",
         "device=cpu,restore=a b.png,is_grey"},
        {OPTIONS_RENDER, "\xff.png -o \xfe.png --filter f\xfd",
         "pictures=\xff.png,filter=f\xfd,output=\xfe.png"},
        {OPTIONS_RENDER, "--radius -1 --filter a --filter b", "filter=b,radius=-1"},
        {OPTIONS_LIST, "--format json", "format=json"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(options_finish) struct options o;
        must(parse(&o, rows[i].command, rows[i].line));
        g_autofree char *found = told(&o);
        assert_string_equal(found, rows[i].told);
        assert_non_null(o.pictures);
        options_finish(&o);
    }
}

TEST(bad_words_are_named)
{
    static const struct {
        enum options_of command;
        const char *line, *message;
    } rows[] = {
        {OPTIONS_VIEW, "a.png --Filter mean", "Unknown option --Filter; did you mean '--filter'?"},
        {OPTIONS_VIEW, "--filte mean", "Unknown option --filte; did you mean '--filter'?"},
        {OPTIONS_VIEW, "--radius", "Missing argument for --radius"},
        {OPTIONS_RENDER, "-o", "Missing argument for -o"},
        {OPTIONS_LIST, "mean", "unexpected argument 'mean'"},
        {OPTIONS_LIST, "--format json mean invert", "unexpected argument 'mean'"},
        {OPTIONS_DEVICES, "cpu", "unexpected argument 'cpu'"},
        {OPTIONS_LIST, "--format xml", "unknown format 'xml'; known are text and json"},
        {OPTIONS_LIST, "--format=", "unknown format ''; known are text and json"},
        {OPTIONS_DEVICES, "--format JSON", "unknown format 'JSON'; known are text and json"},
        {OPTIONS_VIEW, "--path gpu", "unknown path 'gpu'; known are auto, interop, staged and cpu"},
        {OPTIONS_RENDER, "--restore", "Missing argument for --restore"},
        {OPTIONS_VIEW, "--dump-state", "Missing argument for --dump-state"},
        {OPTIONS_VIEW, "--reduce-above -1",
         "reduce above -1 is not a number of milliseconds, or 0"},
        {OPTIONS_VIEW, "--reduce-above nan",
         "reduce above nan is not a number of milliseconds, or 0"},
        {OPTIONS_VIEW, "--text-scale 0.4", "text scale 0.4 is outside [0.5, 4]"},
        {OPTIONS_VIEW, "--text-scale 4.01", "text scale 4.01 is outside [0.5, 4]"},
        {OPTIONS_VIEW, "--text-scale nan", "text scale nan is outside [0.5, 4]"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_unparsed(rows[i].command, rows[i].line, rows[i].message);
    // Options that only other commands have, or none.
    assert_each(OPTIONS_VIEW, "--frobnicate -x --output --sheet", "%s x", "Unknown option %s");
    assert_each(OPTIONS_RENDER, "--keys --path --clean --script --dump-state", "%s x",
                "Unknown option %s");
    assert_each(OPTIONS_LIST, "--device --probe", "%s x", "Unknown option %s");
    assert_each(OPTIONS_DEVICES, "--filter", "%s x", "Unknown option %s");
    assert_each(OPTIONS_BENCH, "--restore", "%s x", "Unknown option %s");
    assert_each(OPTIONS_VIEW, "--filter --variant --radius --block --param", "--restore a %s 8x8",
                "--restore says what to run: %s does not go with it");
    assert_each(OPTIONS_RENDER, "--array --unroll --sheet", "--restore a %s b",
                "--restore says what to run: %s does not go with it");
    struct options o;
    assert_false(parse(&o, OPTIONS_VIEW, "--text-scale big"));
    assert_true(strstr(err.text, "big") && strstr(err.text, "--text-scale"));
}

TEST(devices)
{
    static const char *const good[] = {"auto", "cpu", "cuda", "cuda:0", "cuda:15"};
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        OWNED(options_finish) struct options o;
        g_autofree char *line = g_strconcat("--device ", good[i], NULL);
        must(parse(&o, OPTIONS_VIEW, line));
    }
    assert_each(OPTIONS_RENDER,
                "gpu CPU cuda: cuda:x cuda:-1 cuda:1x cuda:~1 cuda0 cpu:0 cudax nvidia auto~ "
                "cuda:+1 cuda:99999999999999999999",
                "x.png --device=%s y.png",
                "unknown device '%s'; known are auto, cuda, cuda:N and cpu");
    assert_unparsed(OPTIONS_RENDER,
                    "--device=", "unknown device ''; known are auto, cuda, cuda:N and cpu");
}

// ---- choosing ----

static bool chosen(const char *line, struct choice *s)
{
    OWNED(options_finish) struct options o;
    if (!parse(&o, OPTIONS_RENDER, line)) fail_msg("%s: %s", line, err.text);
    const struct choice_words words = options_words(&o);
    return choice_read(s, &words, &filters, &err);
}

static void assert_unselected(const char *line, const char *message)
{
    struct choice s, before;
    memset(&s, 0xA5, sizeof s);
    before = s;
    err.text[0] = '\0';
    if (chosen(line, &s)) fail_msg("accepted: %s", line);
    assert_string_equal(err.text, message);
    assert_memory_equal(&s, &before, sizeof s);
}

// A word at its place in the line and in the message.
static void assert_word(const char *line, const char *word, const char *message)
{
    g_autofree char *whole = g_strdup_printf(line, word), *text = g_strdup_printf(message, word);
    assert_unselected(whole, g_strdelimit(text, "~", ' '));
}

TEST(a_folder_without_mean)
{
    struct choice s;
    const struct filter_list others = {filters.filters, 2};
    OWNED(options_finish) struct options o;
    assert_true(parse(&o, OPTIONS_RENDER, ""));
    const struct choice_words words = options_words(&o);
    assert_true(choice_read(&s, &words, &others, &err));
    assert_string_equal(s.filter->name, "gaussian");
}

TEST(selections)
{
    static const char *const rows[][2] = {
        {"", "mean naive 3 0 0x0 0"},
        {"--filter gaussian --variant shared --radius 64 --param sigma=12.5 --block 7x5 --unroll",
         "gaussian shared 64 12.5 7x5 1"},
        {"--radius 0 --param radius=9", "mean naive 9 0 0x0 0"},  // the later word holds
        {"--filter invert --variant vector", "invert vector 0 0 0x0 0"}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct choice s;
        must(chosen(rows[i][0], &s));
        const double *v = s.settings.params.v;
        g_autofree char *told = g_strdup_printf("%s %s %g %g %dx%d %d", s.filter->name,
                                                s.variant->name, v[0], v[1], s.settings.block_width,
                                                s.settings.block_height, s.settings.is_unrolled);
        assert_string_equal(told, rows[i][1]);
    }
}

TEST(bad_values_are_named)
{
    static const struct {
        const char *line, *message;
    } rows[] = {
        {"--filter blur", "unknown filter or lab 'blur'; known are gaussian, invert, mean"},
        {"--filter=", "unknown filter or lab ''; known are gaussian, invert, mean"},
        {"--filter Mean",
         "unknown filter or lab 'Mean'; known are gaussian, invert, mean; did you mean 'mean'?"},
        {"--filter blür", "unknown filter or lab 'blür'; known are gaussian, invert, mean"},
        {"--variant vector", "unknown variant 'vector' of mean; known are naive"},
        {"--filter invert --variant shared",
         "unknown variant 'shared' of invert; known are naive, vector"},
        {"--radius=", "radius '' is not a number"},
        {"--radius nan", "radius nan is outside [0, 64] of mean"},
        {"--radius inf", "radius inf is outside [0, 64] of mean"},
        {"--radius 65", "radius 65 is outside [0, 64] of mean"},
        {"--radius -1", "radius -1 is outside [0, 64] of mean"},
        {"--radius 1.5", "radius 1.5 of mean is not a whole number"},
        {"--radius 1e99", "radius 1e+99 is outside [0, 64] of mean"},
        {"--filter invert --radius 3", "invert has no param 'radius'"},
        {"--filter invert --unroll", "invert has no whole number to unroll"},
        {"--param sigma", "'sigma' is not understood; expected --param NAME=VALUE"},
        {"--param=", "'' is not understood; expected --param NAME=VALUE"},
        {"--param sigma=1", "mean has no param 'sigma'; known are radius"},
        {"--param =1", "mean has no param ''; known are radius"},
        {"--filter gaussian --param sigma=", "sigma '' is not a number"},
        {"--filter gaussian --param sigma=1=2", "sigma '1=2' is not a number"},
        {"--filter gaussian --param sigma=12.75", "sigma 12.75 is outside [0, 12.5] of gaussian"},
        {"--filter gaussian --param sigma=1 --param oops=2",
         "gaussian has no param 'oops'; known are radius, sigma"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_unselected(rows[i].line, rows[i].message);
    static const char *const blocks[] = {"0x8",    "8x0",  "8x",    "x8",    "axb",           "8",
                                         "8x8x8",  "-8x8", "8.5x8", "8~x~8", "99999999999x1", "",
                                         "8\xffx8"};
    static const char *const numbers[] = {"5x", "five", "5,5"};
    for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++)
        assert_word("--block=%s", blocks[i],
                    "block '%s' is not understood; expected WxH, such as 32x8");
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        assert_word("--radius %s", numbers[i], "radius '%s' is not a number");
}

TEST(sizes)
{
    static const struct {
        const char *text;
        int width, height;
    } good[] = {{"1x1", 1, 1},   {"1280x720", 1280, 720}, {"32×8", 32, 8},
                {"32X8", 32, 8}, {"007x010", 7, 10},      {"1048576x1", 1048576, 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        int width = -1, height = -1;
        assert_true(choice_read_size(good[i].text, &width, &height));
        assert_int_equal(width, good[i].width);
        assert_int_equal(height, good[i].height);
    }
    static const char *const bad[] = {"",      "x",    "×",     "1",         "1x",   "x1",  "1xx1",
                                      "1x1x",  "1x1 ", " 1x1",  "0x1",       "1*1",  "1,1", "1x-1",
                                      "0x0x8", "1 x1", "１x１", "1048577x1", "1x1e3"};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        int width = -1, height = -2;
        if (choice_read_size(bad[i], &width, &height)) fail_msg("accepted: %s", bad[i]);
        assert_int_equal(width, -1);
        assert_int_equal(height, -2);
    }
}

// ---- help ----

TEST(help_has_every_option)
{
    static const struct {
        enum options_of command;
        const char *options;
    } rows[] = {
        {OPTIONS_VIEW,
         "--filter --variant --radius --block --unroll --param --device --path "
         "--data --gray --keys --shots --size --bare --light --text-scale --help --clean "
         "--restore --script --from --dump-state --times --reduce-above"},
        {OPTIONS_RENDER, "--filter --variant --radius --block --unroll --param --device --data "
                         "--gray --output -o --help -h --sheet --budget --restore --array"},
        {OPTIONS_LIST, "--data --rewritten --format --help"},
        {OPTIONS_DEVICES, "--device --path --data --format --help"},
        {OPTIONS_LENS, "--filter --variant --radius --block --param --data --gray --size "
                       "--block-at --all --lines --arch --format --quiet --help"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text =
            options_help(rows[i].command, "tilescope try [IMAGE…]", "What it does.");
        assert_true(g_str_has_prefix(text, "Usage: tilescope try [IMAGE…]\n\nWhat it does."));
        g_auto(GStrv) words = g_strsplit_set(text, " ,=\n", -1);
        g_auto(GStrv) options = g_strsplit(rows[i].options, " ", -1);
        for (char **option = options; *option; option++)
            if (!g_strv_contains((const char *const *)words, *option))
                fail_msg("%s is not in:\n%s", *option, text);
        int shown = 0, known = 0;
        for (char **word = words; *word; word++) shown += g_str_has_prefix(*word, "--");
        for (char **option = options; *option; option++) known += g_str_has_prefix(*option, "--");
        if (shown != known) fail_msg("%d options, %d known:\n%s", shown, known, text);
        assert_null(strstr(text, "probe"));
        assert_null(strstr(text, "test_options"));
    }
}

TEST(folders)
{
    // Kernels come from where they were said to be, or not at all; the rest may be the program's.
    static const char *const rows[][2] = {{"", TILESCOPE_SOURCE_DIR "/kernels"},
                                          {"--data /nowhere", "/nowhere/kernels"}};
    g_autofree char *sample = options_sample("a.png");
    assert_string_equal(sample, TILESCOPE_SOURCE_DIR "/assets/a.png");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(options_finish) struct options o;
        must(parse(&o, OPTIONS_VIEW, rows[i][0]));
        g_autofree char *kernels = options_kernel_folder(&o), *include = options_include_folder(&o),
                        *shaders = options_folder(&o, "shaders");
        assert_string_equal(kernels, rows[i][1]);
        assert_string_equal(include, TILESCOPE_SOURCE_DIR "/kernels");
        assert_string_equal(shaders, TILESCOPE_SOURCE_DIR "/shaders");
    }
}

SUITE("options", load, NULL)
