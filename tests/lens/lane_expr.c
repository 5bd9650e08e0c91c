#include "lane_expr.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at;
    int lane;
};

// From those that bind least. "<" comes after "<<", which begins like it.
static const struct {
    const char *word;
    int level;
} operators[] = {{"|", 0}, {"&", 1}, {"==", 2}, {"<<", 4}, {">>", 4}, {"<", 3},
                 {"+", 5}, {"-", 5}, {"*", 6},  {"/", 6},  {"%", 6}};
enum { LEVELS = 7, OPERATORS = sizeof operators / sizeof *operators };

static long long binary(struct reader *r, int level);

static long long operand(struct reader *r)
{
    if (*r->at == '(') {
        r->at++;
        const long long value = binary(r, 0);
        assert(*r->at == ')');
        r->at++;
        return value;
    }
    if (*r->at == 'l') {
        r->at++;
        return r->lane;
    }
    char *end;
    const long long value = strtoll(r->at, &end, 10);
    assert(end != r->at);
    r->at = end;
    return value;
}

static long long apply(const char *word, long long a, long long b)
{
    switch (word[0] + (word[1] ? 128 : 0)) {
    case '|':
        return a | b;
    case '&':
        return a & b;
    case '=' + 128:
        return a == b;
    case '<' + 128:
        return a << b;
    case '>' + 128:
        return a >> b;
    case '<':
        return a < b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        return a % b;
    }
}

// The operator of a level that comes next, or NULL.
static const char *next_operator(const struct reader *r, int level)
{
    for (int i = 0; i < OPERATORS; i++)
        if (!strncmp(r->at, operators[i].word, strlen(operators[i].word)))
            return operators[i].level == level ? operators[i].word : NULL;
    return NULL;
}

static long long binary(struct reader *r, int level)
{
    if (level == LEVELS) return operand(r);
    long long value = binary(r, level + 1);
    const char *word;
    while ((word = next_operator(r, level))) {
        r->at += strlen(word);
        value = apply(word, value, binary(r, level + 1));
    }
    return value;
}

long long lane_expr(const char *text, int lane)
{
    struct reader r = {text, lane};
    const long long value = binary(&r, 0);
    assert(!*r.at || *r.at == ';');
    return value;
}
