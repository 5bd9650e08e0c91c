// expr.c -- recursive descent, one function a level of precedence, which writes postfix steps:
//
//     sum     = product { (+|-) product }
//     product = atom { (*|/|%) atom }
//     atom    = number | name | - atom | ( sum ) | (min|max) ( sum , sum )
//
//     2 * radius + 1   becomes   2  radius  *  1  +
#include "filter/expr.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum op { NUMBER, VALUE, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER, LESSER, GREATER };

// ---- compiling ----

struct parser {
    const char *text, *at;
    const struct expr_scope *scope;
    struct expr *out;
    struct error *err;
};

static bool sum(struct parser *p);

static char peek(struct parser *p)
{
    while (isspace((unsigned char)*p->at)) p->at++;
    return *p->at;
}

static bool emit(struct parser *p, enum op op, long long operand)
{
    struct expr *e = p->out;
    if (e->count == EXPR_MAX_STEPS)
        return error_set(p->err, "'%s' has more than %d steps", p->text, EXPR_MAX_STEPS);
    e->ops[e->count] = (unsigned char)op;
    e->operands[e->count++] = operand;
    return true;
}

static bool is_word(const char *word, const char *start, size_t length)
{
    return strlen(word) == length && !strncmp(word, start, length);
}

static bool name(struct parser *p)
{
    const struct expr_scope *s = p->scope;
    const char *start = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_') p->at++;
    const size_t length = (size_t)(p->at - start);
    for (int i = 0; i < s->name_count; i++)
        if (is_word(s->names[i], start, length)) return emit(p, VALUE, i);
    for (int i = 0; i < s->let_count; i++) {
        const struct expr *let = &s->lets[i].expr;
        if (!let->count || !is_word(s->lets[i].name, start, length)) continue;
        for (int k = 0; k < let->count; k++)
            if (!emit(p, (enum op)let->ops[k], let->operands[k])) return false;
        return true;
    }
    return error_set(p->err, "unknown name '%.*s' in '%s'", (int)length, start, p->text);
}

static bool expect(struct parser *p, char wanted)
{
    if (peek(p) != wanted) return error_set(p->err, "missing %c in '%s'", wanted, p->text);
    p->at++;
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

static bool atom(struct parser *p)
{
    const char c = peek(p);
    const bool is_min = is_call(p, "min");
    if (isdigit((unsigned char)c)) {
        char *end;
        errno = 0;
        const long long value = strtoll(p->at, &end, 10);
        p->at = end;
        return errno == ERANGE ? error_set(p->err, "'%s' is too large", p->text)
                               : emit(p, NUMBER, value);
    }
    if (is_min || is_call(p, "max"))
        return expect(p, '(') && sum(p) && expect(p, ',') && sum(p) && expect(p, ')') &&
               emit(p, is_min ? LESSER : GREATER, 0);
    if (isalpha((unsigned char)c) || c == '_') return name(p);
    if (c != '-' && c != '(') return error_set(p->err, "'%s' breaks off at '%s'", p->text, p->at);
    p->at++;
    return c == '-' ? atom(p) && emit(p, NEGATE, 0) : sum(p) && expect(p, ')');
}

static bool product(struct parser *p)
{
    if (!atom(p)) return false;
    for (char op = peek(p); op == '*' || op == '/' || op == '%'; op = peek(p)) {
        p->at++;
        if (!atom(p) || !emit(p, op == '*' ? MULTIPLY : op == '/' ? DIVIDE : REMAINDER, 0))
            return false;
    }
    return true;
}

static bool sum(struct parser *p)
{
    if (!product(p)) return false;
    for (char op = peek(p); op == '+' || op == '-'; op = peek(p)) {
        p->at++;
        if (!product(p) || !emit(p, op == '+' ? ADD : SUBTRACT, 0)) return false;
    }
    return true;
}

bool expr_compile(struct expr *e, const char *text, const struct expr_scope *scope,
                  struct error *err)
{
    assert(strlen(text) < EXPR_TEXT && scope->name_count <= EXPR_MAX_NAMES);
    struct expr made = {.count = 0};
    struct parser p = {.text = text, .at = text, .scope = scope, .out = &made, .err = err};
    if (!sum(&p)) return false;
    if (peek(&p)) return error_set(err, "'%s' breaks off at '%s'", text, p.at);
    strcpy(made.text, text);
    *e = made;
    return true;
}

// ---- evaluating ----

// left becomes left op right. False: the result is beyond 64 bits.
static bool combine(enum op op, long long *left, long long right)
{
    const bool is_quotient = *left != LLONG_MIN || right != -1;
    switch (op) {
    case ADD:
        return !__builtin_add_overflow(*left, right, left);
    case SUBTRACT:
        return !__builtin_sub_overflow(*left, right, left);
    case MULTIPLY:
        return !__builtin_mul_overflow(*left, right, left);
    case DIVIDE:
        if (is_quotient) *left /= right;
        return is_quotient;
    case REMAINDER:
        if (is_quotient) *left %= right;
        return is_quotient;
    case LESSER:
        if (right < *left) *left = right;
        return true;
    case GREATER:
        if (right > *left) *left = right;
        return true;
    case NUMBER:
    case VALUE:
    case NEGATE:
        break;
    }
    return false;
}

bool expr_eval(const struct expr *e, const double *values, long long *value, struct error *err)
{
    long long stack[EXPR_MAX_STEPS], *top = stack;  // top: behind the last number
    bool is_good = true;
    assert(e->count > 0);
    for (int i = 0; is_good && i < e->count; i++) {
        const enum op op = (enum op)e->ops[i];
        const long long operand = e->operands[i];
        if (op == NUMBER) {
            *top++ = operand;
        } else if (op == VALUE) {
            is_good = fabs(values[operand]) < 0x1p62;
            if (is_good) *top++ = (long long)values[operand];
        } else if (op == NEGATE) {
            is_good = !__builtin_sub_overflow(0LL, top[-1], &top[-1]);
        } else {
            const long long right = *--top;
            if (!right && (op == DIVIDE || op == REMAINDER))
                return error_set(err, "'%s' divides by zero", e->text);
            is_good = combine(op, &top[-1], right);
        }
    }
    if (!is_good) return error_set(err, "'%s' is too large", e->text);
    *value = stack[0];
    return true;
}

bool expr_uses(const struct expr *e, int name)
{
    for (int i = 0; i < e->count; i++)
        if (e->ops[i] == VALUE && e->operands[i] == name) return true;
    return false;
}
