// Members of a struct that all threads compute alike, although its others differ: for
//
//     const struct column c = column_of_thread(g, 1);
//     for (int z = c.first; z < c.end; z++) …
//
// it declares a variable for each such member, with `column_of_thread(g, 1).first` as its value,
// which stands for c.first. The function's text must be plain: constants, then the struct's list.
#include "base/signature.h"
#include "device/cpu/rewrite_parts.h"

// True if the words may change a variable, or name one unseen.
static bool may_change(const struct rewriter *r, struct range range)
{
    for (guint i = range.from; i < range.to; i++) {
        const struct function *const f = rewrite_function(r, i);
        if (rewrite_is(r, i, "=") || rewrite_is_step(r, i) ||
            (f && (f->item->kind == C_ITEM_MACRO || f->facts & CHANGES_ARGUMENTS)))
            return true;
    }
    return false;
}

static bool is_same(const struct rewriter *r, guint i, guint other)
{
    const struct word *const a = rewrite_word(r, i), *const b = rewrite_word(r, other);
    return a->length == b->length && !strncmp(a->text, b->text, a->length);
}

// True if the words are the same for all threads that call the function with the same arguments.
static bool is_alike(const struct rewriter *r, struct range range, const GArray *varying)
{
    for (guint i = range.from; i < range.to; i++) {
        const struct function *const f = rewrite_function(r, i);
        if (rewrite_is(r, i, "threadIdx") || *rewrite_word(r, i)->text == '#') return false;
        if (f && f->facts & USES_THREAD) return false;
        for (guint k = 0; k < varying->len; k++)
            if (is_same(r, i, g_array_index(varying, guint, k))) return false;
    }
    return true;
}

// Finds the list by which a function makes the struct that it returns; false: it may do more.
static bool find_list(const struct rewriter *r, struct range body, const char *type,
                      struct range *list, GArray *varying)
{
    guint made = 0;  // the struct's name
    for (guint at = body.from, end; at < body.to; at = end + 1) {
        end = rewrite_find(r, at, body.to, ";");
        if (rewrite_is(r, at, "return"))
            return made && end + 1 == body.to && end == at + 2 && is_same(r, at + 1, made);
        const guint equals = rewrite_find(r, at, end, "=,[({&*");
        if (made || !rewrite_is(r, at, "const") || !rewrite_is(r, equals, "=") ||
            rewrite_find(r, equals, end, ",") < end ||
            may_change(r, (struct range){equals + 1, end}))
            return false;
        const guint name = equals - 1;
        if (rewrite_is(r, equals + 1, "{")) {
            if (!rewrite_is(r, name - 1, type)) return false;
            made = name;
            *list = (struct range){equals + 2, rewrite_behind(r, equals + 1, end) - 1};
            // A member's name, and a comma that may be one of a template.
            for (guint i = list->from; i < list->to; i++)
                if ((rewrite_function(r, i) && rewrite_is(r, i + 1, "<")) ||
                    (rewrite_is(r, i, ".") && !rewrite_is_operand(r, i - 1)))
                    return false;
        } else if (!is_alike(r, (struct range){equals + 1, end}, varying)) {
            g_array_append_val(varying, name);
        }
    }
    return false;
}

// False if a struct has a base, or members that are not plain numbers.
static bool read_members(struct signature *members, const struct c_item *item)
{
    static const char *const plain[] = {"int", "unsigned int", "float", "long", "bool", NULL};
    const char *const behind = item->name + item->name_length;
    g_autofree char *name = g_strndup(item->name, item->name_length);
    bool is_plain =
        behind[strspn(behind, " \n")] == '{' && signature_read_members(members, item->head, name);
    for (int i = 0; is_plain && i < members->argument_count; i++)
        is_plain =
            g_strv_contains(plain, members->arguments[i].type) && !members->arguments[i].is_pointer;
    return is_plain;
}

static void add_member(struct rewriter *r, struct node *parent, int of,
                       const struct signature_argument *member)
{
    const struct range init = rewrite_var(r, of)->init;
    g_autofree char *text =
        g_strdup_printf("emulator_%s_%s", rewrite_var(r, of)->name, member->name);
    const char *const word = g_string_chunk_insert(r->strings, member->name);
    const struct word name = {text, (unsigned)strlen(text), -1, -1},
                      tail[] = {{".", 1, -1, -1}, {word, (unsigned)strlen(word), -1, -1}};
    const int index = rewrite_add_var(r, &name, g_string_chunk_insert(r->strings, member->type));
    struct var *const v = rewrite_declare(r, parent, NODE_DECLARE, index);
    v->member = word;
    v->member_of = of;
    v->init.from = r->words->len;
    for (guint i = init.from; i < init.to; i++) {
        const struct word copy = *rewrite_word(r, i);
        g_array_append_val(r->words, copy);
    }
    g_array_append_vals(r->words, tail, 2);
    v->init.to = r->words->len;
    v->has_init = v->is_const = true;
}

void rewrite_add_members(struct rewriter *r, struct node *parent, int index)
{
    const struct var *const v = rewrite_var(r, index);
    const struct range init = v->init;
    struct signature members;
    const struct function *const f =
        init.to > init.from + 2 && rewrite_word(r, init.from)->var < 0 && !v->is_list
            ? rewrite_function(r, init.from)
            : NULL;
    const char *const type = strrchr(v->type, ' ') ? strrchr(v->type, ' ') + 1 : v->type;
    const struct function *const s = rewrite_find_function(r, type, strlen(type));
    if (!f || !s || !v->is_const || v->is_pointer || rewrite_is_array(v) || !f->is_one ||
        !s->is_one || f->item->kind != C_ITEM_FUNCTION || s->item->kind != C_ITEM_STRUCT ||
        f->facts & (WAITS | HAS_EFFECT | READS_MEMORY | HAS_LINES | CHANGES_ARGUMENTS) ||
        s->facts & (IS_MADE | READS_MEMORY) || !rewrite_is(r, init.from + 1, "(") ||
        rewrite_behind(r, init.from + 1, init.to) != init.to || may_change(r, init) ||
        !rewrite_is_pure(r, init))
        return;
    guint name, body;
    const struct range all = rewrite_add_function(r, f->item, &name, &body);
    if (rewrite_is(r, all.from, "template") || name == body || name == all.from ||
        !rewrite_is(r, name - 1, type) || !read_members(&members, s->item))
        return;
    g_autoptr(GArray) varying = g_array_new(FALSE, FALSE, sizeof(guint));
    struct range list = {0, 0};
    if (!find_list(r, (struct range){body + 1, all.to - 1}, type, &list, varying)) return;
    guint at = list.from;
    for (int k = 0; k < members.argument_count && at < list.to; k++) {
        const guint end = rewrite_find(r, at, list.to, ",");
        if (is_alike(r, (struct range){at, end}, varying))
            add_member(r, parent, index, &members.arguments[k]);
        at = end + 1;
    }
}

void rewrite_read_member(struct rewriter *r, guint i)
{
    const int of = rewrite_word(r, i)->var;
    if (of < 0 || !rewrite_is(r, i + 1, ".")) return;
    // From a member's address, others may be reached.
    if (i > 1 && rewrite_is(r, i - 1, "&") && !rewrite_is_pair(r, i - 2, '&', '&') &&
        !rewrite_is_operand(r, i - 2))
        return;
    for (int k = of + 1; k < (int)r->vars->len; k++) {
        const struct var *const v = rewrite_var(r, k);
        if (!v->member || v->member_of != of || !rewrite_is(r, i + 2, v->member)) continue;
        struct word *const w = rewrite_word(r, i);
        w->var = k;
        w[1].text = w[2].text = "";
        w[1].length = w[2].length = 0;
    }
}
