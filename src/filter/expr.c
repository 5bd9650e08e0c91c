// expr.c -- recursive descent, one function a level of precedence:
//
//     sum     = product { (+|-) product }
//     product = atom { (*|/|%) atom }
//     atom    = number | name | - atom | ( sum ) | (min|max) ( sum , sum )
#include "filter/expr.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXPR_MAX_DEPTH = 64 };

struct parser {
    const char *text, *at;
    const struct expr_name *names;
    int name_count, depth;
    struct error *err;
};

static bool sum(struct parser *p, long long *value);

static char peek(struct parser *p)
{
    while (isspace((unsigned char)*p->at)) p->at++;
    return *p->at;
}

static bool is_small(struct parser *p, bool claim)
{
    return claim || error_set(p->err, "'%s' is too large", p->text);
}

static bool name(struct parser *p, long long *value)
{
    const char *start = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_') p->at++;
    const size_t length = (size_t)(p->at - start);
    for (int i = 0; i < p->name_count; i++) {
        const struct expr_name *n = &p->names[i];
        if (strlen(n->name) == length && !strncmp(n->name, start, length)) {
            const bool is_whole = fabs(n->value) < 0x1p62;
            if (is_whole) *value = (long long)n->value;
            return is_small(p, is_whole);
        }
    }
    return error_set(p->err, "unknown name '%.*s' in '%s'", (int)length, start, p->text);
}

static bool expect(struct parser *p, char wanted)
{
    if (peek(p) != wanted) return error_set(p->err, "missing %c in '%s'", wanted, p->text);
    p->at++;
    return true;
}

// What follows min or max.
static bool choice(struct parser *p, bool is_max, long long *value)
{
    long long a = 0, b = 0;
    if (!expect(p, '(') || !sum(p, &a) || !expect(p, ',') || !sum(p, &b) || !expect(p, ')'))
        return false;
    *value = (a > b) == is_max ? a : b;
    return true;
}

// A name that is followed by a parenthesis.
static bool is_call(struct parser *p, const char *function)
{
    const size_t length = strlen(function);
    if (strncmp(p->at, function, length)) return false;
    const char *after = p->at + length;
    while (isspace((unsigned char)*after)) after++;
    if (*after != '(') return false;
    p->at = after;
    return true;
}

static bool atom(struct parser *p, long long *value)
{
    if (p->depth++ > EXPR_MAX_DEPTH) return error_set(p->err, "'%s' nests too deeply", p->text);
    const char c = peek(p);
    bool is_done = false;
    if (isdigit((unsigned char)c)) {
        char *end;
        errno = 0;
        *value = strtoll(p->at, &end, 10);
        p->at = end;
        is_done = is_small(p, errno != ERANGE);
    } else if (is_call(p, "min")) {
        is_done = choice(p, false, value);
    } else if (is_call(p, "max")) {
        is_done = choice(p, true, value);
    } else if (isalpha((unsigned char)c) || c == '_') {
        is_done = name(p, value);
    } else if (c == '-') {
        p->at++;
        is_done = atom(p, value) && is_small(p, !__builtin_sub_overflow(0LL, *value, value));
    } else if (c == '(') {
        p->at++;
        is_done = sum(p, value) && expect(p, ')');
    } else {
        error_set(p->err, "'%s' breaks off at '%s'", p->text, p->at);
    }
    p->depth--;
    return is_done;
}

static bool product(struct parser *p, long long *value)
{
    if (!atom(p, value)) return false;
    for (char op = peek(p); op == '*' || op == '/' || op == '%'; op = peek(p)) {
        p->at++;
        long long right = 0;
        if (!atom(p, &right)) return false;
        if (op != '*' && right == 0) return error_set(p->err, "'%s' divides by zero", p->text);
        const bool is_good = op == '*' ? !__builtin_mul_overflow(*value, right, value)
                                       : *value != LLONG_MIN || right != -1;
        if (!is_small(p, is_good)) return false;
        if (op == '/') *value /= right;
        if (op == '%') *value %= right;
    }
    return true;
}

static bool sum(struct parser *p, long long *value)
{
    if (!product(p, value)) return false;
    for (char op = peek(p); op == '+' || op == '-'; op = peek(p)) {
        p->at++;
        long long right = 0;
        if (!product(p, &right)) return false;
        const bool is_over = op == '+' ? __builtin_add_overflow(*value, right, value)
                                       : __builtin_sub_overflow(*value, right, value);
        if (!is_small(p, !is_over)) return false;
    }
    return true;
}

bool expr_eval(const char *text, const struct expr_name *names, int name_count, long long *value,
               struct error *err)
{
    struct parser p = {
        .text = text, .at = text, .names = names, .name_count = name_count, .err = err};
    long long result = 0;
    if (!sum(&p, &result)) return false;
    if (peek(&p)) return error_set(err, "'%s' breaks off at '%s'", text, p.at);
    *value = result;
    return true;
}
