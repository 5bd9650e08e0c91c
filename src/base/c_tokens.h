// c_tokens.h -- splits the text of a C or CUDA file into tokens.
//
// It knows comments, texts in quotes, numbers, words, single marks and lines that begin with #. It
// takes any text: a comment or quote that is not closed ends with the text. It does not expand
// macros and knows no keywords.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum c_token_kind {
    C_TOKEN_END,
    C_TOKEN_WORD,
    C_TOKEN_NUMBER,
    C_TOKEN_STRING,     // in double or single quotes
    C_TOKEN_COMMENT,    // to the end of its line, or up to */
    C_TOKEN_DIRECTIVE,  // # and its word, as in #define
    C_TOKEN_MARK        // one character
};

struct c_token {
    enum c_token_kind kind;
    const char *start;
    size_t length;
    int line;           // from 1: where it begins
    bool is_first;      // on its line
    bool is_directive;  // it belongs to a line that begins with #
};

// A reader's place in a text, which it borrows. c_tokens_of() starts at the beginning.
struct c_tokens {
    const char *at;
    int line;
    bool is_first, is_directive;
};
struct c_tokens c_tokens_of(const char *text);

struct c_token c_tokens_next(struct c_tokens *t);
struct c_token c_tokens_next_code(struct c_tokens *t);  // skips comments
bool c_token_is(struct c_token token, const char *text);
bool c_token_is_same(struct c_token a, struct c_token b);  // the same letters

// True if the token is the std of `std::` before a name that CUDA has without it, as in std::min,
// or the cuda of `cuda::std::`. Then *tokens, which is behind the token, moves to the name.
bool c_tokens_skip_std(struct c_token token, struct c_tokens *tokens);

// These read on behind a token that begins a line with #. For any other token, or if nothing
// follows, they return the kind C_TOKEN_END.
struct c_token c_tokens_directive(struct c_token token, struct c_tokens *behind);  // define, 12
// The name in an #include, with its quotes or angle brackets (a string), or the macro there.
struct c_token c_tokens_included(struct c_token token, struct c_tokens *behind);

// Braces that are open. Those in all branches of an #if count once: each branch begins as the first
// did. A zeroed one is at a text's start, or behind a brace with depth 1.
enum { C_BRACES_MOST = 32 };  // nested #ifs that are looked at
struct c_braces {
    int depth, ifs;
    int before[C_BRACES_MOST];  // the depth at each #if that is open
};
void c_braces_take(struct c_braces *b, struct c_token token, struct c_tokens behind);

// The text with blanks in place of its comments of the form /* */, or of all. No line moves. The
// caller frees it.
char *c_tokens_blank_comments(const char *text, bool to_line_ends);
// The text with lines joined at each backslash before a newline, as compilers read it. The newlines
// move to the end of the joined line, so that other lines keep their numbers. The caller frees it.
char *c_tokens_join_lines(const char *text);
