#include "device/machine_code.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/build_log.h"

// ---- what an instruction does ----

// The kind of an instruction by its name up to the first dot: SASS in capitals, PTX in small
// letters. PTX names the space behind it. To add one: a row.
static const struct row {
    const char *name;
    enum machine_kind kind;
    enum machine_space space;
} table[] = {
    {"LDG", MACHINE_LOAD, MACHINE_GLOBAL},          {"STG", MACHINE_STORE, MACHINE_GLOBAL},
    {"LDGSTS", MACHINE_LOAD, MACHINE_GLOBAL},  // on to shared memory
    {"LDS", MACHINE_LOAD, MACHINE_SHARED},          {"STS", MACHINE_STORE, MACHINE_SHARED},
    {"LDSM", MACHINE_LOAD, MACHINE_SHARED},         {"STSM", MACHINE_STORE, MACHINE_SHARED},
    {"LDL", MACHINE_LOAD, MACHINE_LOCAL},           {"STL", MACHINE_STORE, MACHINE_LOCAL},
    {"LDC", MACHINE_LOAD, MACHINE_CONSTANT},        {"LDCU", MACHINE_LOAD, MACHINE_CONSTANT},
    {"ULDC", MACHINE_LOAD, MACHINE_CONSTANT},       {"LD", MACHINE_LOAD, MACHINE_GENERIC},
    {"ST", MACHINE_STORE, MACHINE_GENERIC},         {"ATOM", MACHINE_ATOMIC, MACHINE_GENERIC},
    {"ATOMG", MACHINE_ATOMIC, MACHINE_GLOBAL},      {"ATOMS", MACHINE_ATOMIC, MACHINE_SHARED},
    {"RED", MACHINE_ATOMIC, MACHINE_GLOBAL},        {"REDG", MACHINE_ATOMIC, MACHINE_GLOBAL},
    {"TEX", MACHINE_LOAD, MACHINE_TEXTURE},         {"TLD", MACHINE_LOAD, MACHINE_TEXTURE},
    {"TLD4", MACHINE_LOAD, MACHINE_TEXTURE},        {"SULD", MACHINE_LOAD, MACHINE_TEXTURE},
    {"SUST", MACHINE_STORE, MACHINE_TEXTURE},       {"BAR", MACHINE_BARRIER, MACHINE_GENERIC},
    {"WARPSYNC", MACHINE_BARRIER, MACHINE_GENERIC}, {"BRA", MACHINE_BRANCH, MACHINE_GENERIC},
    {"BRX", MACHINE_BRANCH, MACHINE_GENERIC},       {"JMP", MACHINE_BRANCH, MACHINE_GENERIC},
    {"CALL", MACHINE_BRANCH, MACHINE_GENERIC},      {"RET", MACHINE_BRANCH, MACHINE_GENERIC},
    {"EXIT", MACHINE_BRANCH, MACHINE_GENERIC},      {"ld", MACHINE_LOAD, MACHINE_GENERIC},
    {"ldu", MACHINE_LOAD, MACHINE_GENERIC},         {"st", MACHINE_STORE, MACHINE_GENERIC},
    {"cp", MACHINE_LOAD, MACHINE_GLOBAL},  // cp.async: on to shared memory
    {"ldmatrix", MACHINE_LOAD, MACHINE_SHARED},     {"stmatrix", MACHINE_STORE, MACHINE_SHARED},
    {"atom", MACHINE_ATOMIC, MACHINE_GENERIC},      {"red", MACHINE_ATOMIC, MACHINE_GENERIC},
    {"tex", MACHINE_LOAD, MACHINE_TEXTURE},         {"tld4", MACHINE_LOAD, MACHINE_TEXTURE},
    {"suld", MACHINE_LOAD, MACHINE_TEXTURE},        {"sust", MACHINE_STORE, MACHINE_TEXTURE},
    {"bar", MACHINE_BARRIER, MACHINE_GENERIC},      {"barrier", MACHINE_BARRIER, MACHINE_GENERIC},
    {"bra", MACHINE_BRANCH, MACHINE_GENERIC},       {"brx", MACHINE_BRANCH, MACHINE_GENERIC},
    {"call", MACHINE_BRANCH, MACHINE_GENERIC},      {"ret", MACHINE_BRANCH, MACHINE_GENERIC},
    {"exit", MACHINE_BRANCH, MACHINE_GENERIC},
};

static const struct {
    const char *word;
    enum machine_space space;
} ptx_spaces[] = {
    {"global", MACHINE_GLOBAL}, {"shared", MACHINE_SHARED},  {"shared::cta", MACHINE_SHARED},
    {"local", MACHINE_LOCAL},   {"const", MACHINE_CONSTANT}, {"param", MACHINE_CONSTANT},
};

// The bits of a type, as in "U8", "f32", "128"; 0: the word is none.
static int bits_of(const char *word)
{
    const char *const digits = word + (*word && strchr("USFBusfb", *word) != NULL);
    static const int known[] = {8, 16, 32, 64, 128, 256};
    char *end;
    const long bits = strtol(digits, &end, 10);
    for (size_t i = 0; end > digits && !*end && i < G_N_ELEMENTS(known); i++)
        if (bits == known[i]) return known[i];
    return 0;
}

static void classify(struct machine_line *line)
{
    const char *const opcode = line->text + line->opcode;
    g_autofree char *name = g_strndup(opcode, strcspn(opcode, " "));
    g_auto(GStrv) words = g_strsplit(name, ".", -1);
    const struct row *row = table, *const end = table + G_N_ELEMENTS(table);
    while (row < end && g_strcmp0(row->name, words[0])) row++;
    if (row == end) return;
    const bool is_access = row->kind <= MACHINE_ATOMIC, is_ptx = g_ascii_islower(*name);
    const bool is_matrix = !strcmp(words[0] + strlen(words[0]) - 2, "SM") || strstr(name, "matrix");
    int bits = 32, times = 1;
    line->kind = row->kind;
    line->space = row->space;
    for (char **word = words + 1; is_access && *word; word++) {
        const bool counts = is_matrix || (is_ptx && **word == 'v');
        const int digits = atoi(*word + strspn(*word, "vx"));
        if (!is_matrix && bits_of(*word)) bits = bits_of(*word);
        if (counts && digits <= 8 && digits > 0) times = digits;
        for (size_t i = 0; is_ptx && !row->space && i < G_N_ELEMENTS(ptx_spaces); i++)
            if (!strcmp(*word, ptx_spaces[i].word)) line->space = ptx_spaces[i].space;
    }
    // A call's arguments are in registers. A copy names its bytes elsewhere.
    if (row->kind == MACHINE_STORE && line->space == MACHINE_CONSTANT) line->kind = MACHINE_OTHER;
    const bool is_known = strcmp(words[0], "cp") != 0 && line->space != MACHINE_TEXTURE;
    if (is_access && is_known && line->kind) line->bits = bits * times;
}

// ---- reading ----

struct reader {
    bool is_ptx;
    GArray *lines;             // struct machine_line
    GHashTable *labels;        // name to the index of the next line
    GHashTable *files;         // PTX: by number
    GHashTable *inlined;       // PTX: a place, to where that was inlined
    struct trace_chain chain;  // the place of the next instruction
    bool is_chain_open;        // SASS: the next place belongs to it
    GString *statement;        // PTX: text without its semicolon so far
};

static void add_place(struct trace_chain *chain, const char *path, int line)
{
    g_autofree char *name = g_path_get_basename(path);
    const bool is_ours = !strcmp(name, BUILD_LOG_CALLS) || !strcmp(name, BUILD_LOG_CALLS ".h");
    if (is_ours || line <= 0 || chain->count == TRACE_MAX_PLACES) return;
    struct trace_place *place = &chain->places[chain->count++];
    text_copy(place->file, sizeof place->file, name);
    place->line = line;
}

static void add_instruction(struct reader *r, const char *raw, int address)
{
    struct machine_line line = {
        .text = g_malloc(strlen(raw) + 1), .address = address, .chain = r->chain};
    char *end = line.text;
    for (; *raw; raw++)
        if (!g_ascii_isspace(*raw) || (end > line.text && end[-1] != ' '))
            *end++ = g_ascii_isspace(*raw) ? ' ' : *raw;
    *end = '\0';
    if (*line.text == '@') line.opcode = (int)strcspn(line.text, " ") + 1;
    line.opcode = MIN(line.opcode, (int)strlen(line.text));
    classify(&line);
    g_array_append_val(r->lines, line);
}

static void add_label(struct reader *r, const char *line, size_t length)
{
    g_hash_table_insert(r->labels, g_strndup(line, length), GINT_TO_POINTER(r->lines->len));
}

static void read_sass_line(struct reader *r, const char *line)
{
    static const char place[] = "//## File \"";
    const char *at = line + strspn(line, " \t");
    if (g_str_has_prefix(at, place)) {
        // "/dir/mean.cu", line 4 inlined at "/dir/mean.cu", line 9; the outer place is repeated in
        // the next line.
        at += strlen(place);
        int number = 0;
        const char *const end = strchr(at, '"');
        if (!end) return;
        g_autofree char *path = g_strndup(at, (gsize)(end - at));
        sscanf(end, "\", line %d", &number);
        if (!r->is_chain_open) r->chain.count = 0;
        add_place(&r->chain, path, number);
        r->is_chain_open = strstr(end, " inlined at ") != NULL;
    } else if (g_str_has_prefix(at, "/*")) {
        char *end;
        const long address = strtol(at + 2, &end, 16);
        if (strncmp(end, "*/", 2) != 0) return;
        g_autofree char *text = g_strndup(end + 2, strcspn(end + 2, ";"));
        r->is_chain_open = false;
        if (*g_strstrip(text)) add_instruction(r, text, (int)address);
    } else if (*line == '.' || *line == '$') {
        add_label(r, line, strcspn(line, ":"));
    }
}

// `.loc 2 3 34, function_name $name, inlined_at 2 5 9`: of file 2, line 3, column 34.
static void read_ptx_place(struct reader *r, const char *line)
{
    const char *const outer = strstr(line, "inlined_at ");
    g_autofree char *own = g_strndup(line, strcspn(line, ",\n")),
                    *of = outer ? g_strdup(outer + strlen("inlined_at ")) : NULL;
    const char *place = g_strstrip(own);
    if (of) g_hash_table_insert(r->inlined, g_strdup(own), g_strstrip(g_steal_pointer(&of)));
    r->chain.count = 0;
    for (int i = 0; place && i < TRACE_MAX_PLACES; i++) {
        int file = 0, number = 0;
        sscanf(place, "%d %d", &file, &number);
        const char *path = g_hash_table_lookup(r->files, GINT_TO_POINTER(file));
        if (path) add_place(&r->chain, path, number);
        // Only a place with inlined_at was inlined; the chain ends with any other.
        place = i || outer ? g_hash_table_lookup(r->inlined, place) : NULL;
    }
}

static void read_ptx_line(struct reader *r, const char *raw)
{
    const char *const comment = strstr(raw, "//");
    g_autofree char *line = comment ? g_strndup(raw, (gsize)(comment - raw)) : g_strdup(raw);
    const char *at = g_strstrip(line);
    const size_t word = strspn(at, "$_" G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS);
    if (g_str_has_prefix(at, ".loc")) {
        read_ptx_place(r, at + strlen(".loc"));
        return;
    }
    if (word && at[word] == ':' && at[word + 1] != ':') {
        add_label(r, at, word);
        at += word + 1;
    }
    g_string_append_printf(r->statement, "%s ", at);
    for (char *end; (end = strchr(r->statement->str, ';'));) {
        g_autofree char *text = g_strndup(r->statement->str, (gsize)(end - r->statement->str));
        at = text + strspn(text, " \t{}");
        if (*at && *at != '.') add_instruction(r, at, (int)r->lines->len);
        g_string_erase(r->statement, 0, (gssize)(end + 1 - r->statement->str));
    }
}

// ---- loops ----

// The index of the line that a branch goes to, whose address becomes its label's in the text; -1:
// it is none, or its target is not known.
static int target_of(const struct reader *r, struct machine_line *line)
{
    static const char *const jumps[] = {"BRA", "JMP", "bra", NULL};
    const char *const opcode = line->text + line->opcode;
    if (line->kind != MACHINE_BRANCH) return -1;
    g_autofree char *name = g_strndup(opcode, strcspn(opcode, ". "));
    if (!g_strv_contains(jumps, name)) return -1;
    char *const last = strrchr(line->text, ' ');  // `(.L_x_5) or $L__BB0_3
    gpointer index = NULL;
    if (!last) return -1;
    g_autofree char *label = g_strdup(last + 1 + strspn(last + 1, "`("));
    label[strcspn(label, ")")] = '\0';
    if (!g_hash_table_lookup_extended(r->labels, label, NULL, &index)) return -1;
    const int target = GPOINTER_TO_INT(index);
    if (target >= (int)r->lines->len) return -1;
    last[1] = '\0';
    char *text = g_strdup_printf(r->is_ptx ? "%s%d" : "%s0x%04x", line->text,
                                 g_array_index(r->lines, struct machine_line, target).address);
    g_free(line->text);
    line->text = text;
    return target;
}

static void find_loops(struct machine_code *m, const struct reader *r)
{
    static const char *const leaving[] = {"EXIT", "RET", "ret", "exit", NULL};
    g_autofree int *ends = g_new(int, (gsize)m->count + 1);
    for (int i = 0; i < m->count; i++) m->lines[i].target = target_of(r, &m->lines[i]);
    for (int i = 0; i < m->count; i++) ends[i] = -1;
    // A loop ends with the last branch back to its start. Code that was moved behind the kernel's
    // end and jumps back is no loop, and neither is the trap behind it, which jumps to itself.
    for (int i = 0, last = -1; i < m->count; i++) {
        const int target = m->lines[i].target;
        if (target > last && target < i) ends[target] = i;
        // An end without a condition.
        g_autofree char *name = g_strndup(m->lines[i].text, strcspn(m->lines[i].text, ". "));
        if (g_strv_contains(leaving, name)) last = i;
    }
    for (int i = 0; i < m->count; i++) {
        bool is_innermost = ends[i] >= 0;
        for (int k = i + 1; is_innermost && k <= ends[i]; k++)
            is_innermost = ends[k] < 0 || ends[k] > ends[i];
        if (!is_innermost) continue;
        m->loop_count++;
        for (int k = i; k <= ends[i]; k++) m->lines[k].loop = m->loop_count;
    }
}

// ---- all of it ----

static void free_line(gpointer line)
{
    g_free(((struct machine_line *)line)->text);
}

bool machine_code_read(struct machine_code *m, const char *raw, const char *entry,
                       struct error *err)
{
    g_autofree char *text = g_utf8_make_valid(raw, -1);  // an asm statement may hold any byte
    const bool is_ptx = strstr(text, "\n.version ") != NULL;
    // The kernel's text: in SASS from its label to the next section, in PTX between its braces.
    g_autofree char *word =
        g_strdup_printf(is_ptx ? ".entry launch_%s(" : "\n.text.launch_%s:", entry);
    const char *begin = strstr(text, word);
    if (begin) begin = is_ptx ? strchr(begin, '{') : begin + strlen(word);
    if (!begin) return error_set(err, "the machine code has no kernel 'launch_%s'", entry);
    const char *end = is_ptx ? begin : strstr(begin, "\n\t.section");
    for (int depth = 0; is_ptx && *end; end++) {
        depth += (*end == '{') - (*end == '}');
        if (!depth) break;
    }
    g_autofree char *body = end ? g_strndup(begin, (gsize)(end - begin)) : g_strdup(begin);
    struct reader r = {
        .is_ptx = is_ptx,
        .lines = g_array_new(FALSE, FALSE, sizeof(struct machine_line)),
        .labels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .files = g_hash_table_new_full(NULL, NULL, NULL, g_free),
        .inlined = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .statement = g_string_new(NULL),
    };
    *m = (struct machine_code){.is_ptx = is_ptx};
    const char *const target = strstr(text, ".target");
    if (target) sscanf(target + strlen(".target"), " %15[a-z_0-9]", m->arch);
    g_array_set_clear_func(r.lines, free_line);
    // PTX names its files behind its kernels.
    g_autoptr(GRegex) form =
        g_regex_new("^\\s*\\.file\\s+(\\d+)\\s+\"([^\"]*)\"", G_REGEX_MULTILINE, 0, NULL);
    g_autoptr(GMatchInfo) file = NULL;
    for (g_regex_match(form, is_ptx ? text : "", 0, &file); g_match_info_matches(file);
         g_match_info_next(file, NULL)) {
        g_autofree char *number = g_match_info_fetch(file, 1);
        g_hash_table_insert(r.files, GINT_TO_POINTER(atoi(number)), g_match_info_fetch(file, 2));
    }
    g_auto(GStrv) lines = g_strsplit(body, "\n", -1);
    for (char **line = lines; *line; line++) (is_ptx ? read_ptx_line : read_sass_line)(&r, *line);
    // Drops the NOPs that fill a kernel up behind its last branch.
    while (r.lines->len &&
           !strcmp(g_array_index(r.lines, struct machine_line, r.lines->len - 1).text, "NOP"))
        g_array_set_size(r.lines, r.lines->len - 1);
    g_array_set_clear_func(r.lines, NULL);
    m->count = (int)r.lines->len;
    m->lines = (struct machine_line *)(void *)r.lines->data;
    find_loops(m, &r);
    g_array_free(r.lines, FALSE);
    g_hash_table_destroy(r.labels);
    g_hash_table_destroy(r.files);
    g_hash_table_destroy(r.inlined);
    g_string_free(r.statement, TRUE);
    return true;
}

void machine_code_finish(struct machine_code *m)
{
    for (int i = 0; i < m->count; i++) free_line(&m->lines[i]);
    g_free(m->lines);
    *m = (struct machine_code){0};
}

// ---- for people ----

const struct trace_place *machine_line_place(const struct machine_line *line, const char *file)
{
    const struct trace_place *const places = line->chain.places;
    for (int i = 0; i < line->chain.count; i++)
        if (!strcmp(places[i].file, file)) return &places[i];
    return line->chain.count ? places : NULL;
}

static const char *const kinds[] = {"", "load", "store", "atomic", "barrier", ""};
static const char *const spaces[] = {"generic", "global", "shared", "local", "constant", "texture"};

void machine_line_write(const struct machine_line *line, char *text, size_t size)
{
    const bool is_access = line->kind >= MACHINE_LOAD && line->kind <= MACHINE_ATOMIC;
    g_snprintf(text, size, "%s%s%s", kinds[line->kind], is_access ? " " : "",
               is_access ? spaces[line->space] : "");
    if (line->bits) text_append(text, size, " %d bits", line->bits);
}

void machine_code_write_counts(const struct machine_code *m, int loop, char *text, size_t size)
{
    enum { WIDTHS = 7 };
    static const int widths[WIDTHS] = {8, 16, 32, 64, 128, 256, 0};
    int counts[MACHINE_BRANCH][MACHINE_SPACES][WIDTHS] = {{{0}}}, all = 0;
    for (int i = 0; i < m->count; i++) {
        const struct machine_line *line = &m->lines[i];
        int width = 0;
        if (loop && line->loop != loop) continue;
        all++;
        while (widths[width] && widths[width] != line->bits) width++;
        if (line->kind < MACHINE_BRANCH) counts[line->kind][line->space][width]++;
    }
    g_snprintf(text, size, "%d instructions", all);
    for (int at = MACHINE_LOAD * MACHINE_SPACES; at < MACHINE_BRANCH * MACHINE_SPACES; at++) {
        const struct machine_line like = {.kind = (enum machine_kind)(at / MACHINE_SPACES),
                                          .space = (enum machine_space)(at % MACHINE_SPACES)};
        bool is_named = false, has_bits = false;
        for (int w = 0; w < WIDTHS; w++) {
            const int count = counts[like.kind][like.space][w];
            char name[64];
            if (!count) continue;
            machine_line_write(&like, name, sizeof name);
            text_append(text, size, is_named ? " %s%d" : "; %s %d", is_named ? "" : name, count);
            if (widths[w]) text_append(text, size, "×%d", widths[w]);
            is_named = true;
            has_bits |= widths[w] > 0;
        }
        if (has_bits) text_append(text, size, " bits");
        if (is_named && like.space == MACHINE_LOCAL) text_append(text, size, " (spilled)");
    }
}

void machine_code_write_inner(const struct machine_code *m, char *text, size_t size)
{
    g_autofree int *lengths = g_new0(int, (gsize)m->loop_count + 1);
    int counts[MACHINE_BRANCH][MACHINE_SPACES] = {{0}}, longest = MIN(m->loop_count, 1);
    for (int i = 0; i < m->count; i++) lengths[m->lines[i].loop]++;
    for (int loop = 2; loop <= m->loop_count; loop++)
        if (lengths[loop] > lengths[longest]) longest = loop;
    for (int i = 0; i < m->count; i++)
        if (m->lines[i].loop == longest && m->lines[i].kind < MACHINE_BRANCH)
            counts[m->lines[i].kind][m->lines[i].space]++;
    g_snprintf(text, size, "%s: %d instruction%s",
               m->loop_count > 1 ? "longest inner loop"
               : m->loop_count   ? "inner loop"
                                 : "no loop",
               lengths[longest], lengths[longest] > 1 ? "s" : "");
    for (int at = MACHINE_LOAD * MACHINE_SPACES; at < MACHINE_BRANCH * MACHINE_SPACES; at++) {
        const int kind = at / MACHINE_SPACES, space = at % MACHINE_SPACES;
        const int count = counts[kind][space];
        if (!count) continue;
        text_append(text, size, ", %d ", count);
        if (kind != MACHINE_BARRIER) text_append(text, size, "%s ", spaces[space]);
        text_append(text, size, "%s%s", kinds[kind], count > 1 ? "s" : "");
    }
}

int machine_code_arguments(const struct machine_code *m, int first)
{
    int end = first;
    while (end < m->count &&
           g_str_has_prefix(m->lines[end].text + m->lines[end].opcode, "ld.param."))
        end++;
    return end - first;
}

const char *machine_code_bracket(const struct machine_code *m, int i)
{
    const int loop = m->lines[i].loop;
    if (!loop) return "";
    if (!i || m->lines[i - 1].loop != loop) return "┌";
    return i + 1 == m->count || m->lines[i + 1].loop != loop ? "└" : "│";
}
