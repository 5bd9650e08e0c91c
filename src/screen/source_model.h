// source_model.h -- the contents of a source dock: the kernels of a variant, with line numbers and
// colours, and the functions that they use. It marks the lines that the variant above it does not
// have, where libraries' variants are passed over.
//
//     ── printed ──                the first lines that the kernels printed, if they did
//     ── stays slow on a CPU: it … ──   if its kernel is not written anew (rewrite.h)
//     passes        with their comments, as they stand in the file
//     ── mean.cu · mean_of ──     then each part that kernel_text.h finds, below its name
//
// Lines are compared without their indentation, from a kernel's opening brace on: what stands above
// it is different in every variant.
//
// It is made anew when the choice or the texts change, and copies the texts. One thread.
#pragma once

#include <stdbool.h>

#include "device/headers.h"
#include "device/machine_code.h"
#include "draw/listing.h"
#include "filter/filter.h"
#include "lens/lens_result.h"

struct source_model_facts {
    const struct filter *filter;
    const struct variant *variant;
    const struct headers *headers;
    unsigned version;     // of filter and headers: counts up when their texts change
    const char *letter;   // of two that are compared; empty: there is one
    bool has_changes;     // the lines that the variant above does not have are marked
    bool is_broken;       // what was saved last cannot run, so that these texts are older
    bool is_gone;         // then: the file is no longer there
    const char *printed;  // lines that the variant's kernels printed; NULL: none
    unsigned prints;      // counts up when these change
    // A GPU's machine code, which is shown in place of the text, and a remark above it: why there
    // is none, why it is PTX, or that it is being compiled. Both NULL: the text is shown.
    const struct machine_code *machine;  // of each pass; without lines: it is not known yet
    unsigned machine_version;            // another number: other code
    const char *no_machine;
    const char *include;  // the shared headers' folder, where kernels run on a CPU; NULL: elsewhere
    bool is_generic;      // the fast code is being compiled there; what comes of it may be a reason
};

// {0} is a valid beginning.
struct source_model {
    // Valid until the next update. The owner of the dock sets first and is_active.
    struct listing listing;
    int head;  // the line in which the first kernel begins, below its comment

    // The model's own.
    struct source_model_facts facts;  // what it was made for; no filter: nothing
    GPtrArray *texts;                 // what lines point to
    GArray *lines;                    // struct listing_line
    bool has_about;                   // listing.about is set already; else the lens sets it
    char **kept;                      // see backend_rewrite
};

void source_model_update(struct source_model *m, const struct source_model_facts *facts);
void source_model_finish(struct source_model *m);

// Call this after each update: only then is the listing's hash right. Members are NULL if there is
// none.
struct source_model_lens {
    const struct lens_result *result;
    const struct trace_chain *now;     // the lines of the request at the lens's cursor
    bool is_stale;                     // it is of another choice or block
    const struct trace_place *marked;  // what is made of this line is tinted; its line 0: nothing
};
void source_model_set_lens(struct source_model *m, const struct source_model_lens *lens);
