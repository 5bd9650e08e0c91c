// filter.h -- what a kernel file says about itself in its //! lines.
//
// kernels/README.md has the grammar of the lines; this header says what they mean to the program.
// Kernels that name the same variant are its passes, in file order. A library's function
// (device/library.h) may replace them; it gets params and arrays by their names, and its result may
// differ from the reference by the tolerance, which is shown. EXPR is arithmetic (expr.h)
// over the words of enum filter_word, the params, and the names of earlier let lines. A header that
// the file includes from its own folder may hold let and untimed lines too. Any other lower-case
// word behind //! is an error with file and line.
//
// This module does not compile or run kernels. A filter owns its text and is read-only once loaded.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/tolerance.h"
#include "device/library.h"
#include "filter/arrays.h"
#include "filter/expr.h"

enum { FILTER_MAX_PARAMS = 12, FILTER_MAX_VARIANTS = 16, FILTER_MAX_PASSES = 4, FILTER_NAME = 32 };
enum { FILTER_MAX_UNTIMED = 4, FILTER_ENTRY = 128 };
enum { FILTER_LITERALS = FILTER_MAX_PARAMS * 48 };
enum { FILTER_MAX_NAMES = 8, FILTER_VALUE = 32, FILTER_MAX_LETS = 8, FILTER_MAX_FILES = 64 };
enum { FILTER_MAX_GOALS = 6, FILTER_GOAL_POINTS = 10 };

// The one-dimensional weights of a Gaussian, as whole numbers.
enum {
    WEIGHTS_SUM = 4096,
    WEIGHTS_MAX_RADIUS = 64,
    WEIGHTS_MAX = 2 * WEIGHTS_MAX_RADIUS + 1,  // of one filter
    // Memory holds them twice: for kernels as whole numbers, and behind that for libraries as
    // floats that sum to 1, between two zeros.
    WEIGHTS_BYTES = 4 * (WEIGHTS_MAX + 1 + WEIGHTS_MAX + 1)
};

// The words that expressions know: the block in threads, the picture in pixels, the device. Their
// values have this order, and those of the params follow.
enum filter_word {
    FILTER_BW,
    FILTER_BH,
    FILTER_WIDTH,
    FILTER_HEIGHT,
    FILTER_MULTIPROCESSORS,
    FILTER_WORDS
};

struct param {
    char name[FILTER_NAME];
    bool is_float;          // else int; both take four bytes in struct launch_params
    double value;           // default
    double cpu_value;       // default on a CPU, which has fewer threads
    double gpu_value;       // default on a GPU
    double min, max, step;  // an int is min, min + step, min + 2 step …
    char names[FILTER_MAX_NAMES][FILTER_NAME];  // for the values 0, 1, 2 ...
    int name_count;                             // 0: the values are numbers
    char help[96];
};

struct pass {
    char entry[FILTER_ENTRY];       // the symbol of the kernel with the arguments that a line gives
    char kernel[FILTER_ENTRY];      // its name in the text, and its template's arguments
    int block_width, block_height;  // default block, threads
    int block_depth;                // layers of each block, which cannot be chosen
    int each_x, each_y;             // pixels that one thread writes
    struct expr columns, rows;      // pixels that one block writes; none: by its threads
    struct expr shared;             // dynamic shared bytes; none: 0
    struct expr domain[3];          // threads wanted across, down and in layers; none: the first
                                    // out array's columns and rows
    bool has_own_order;             // only the kernel knows which thread writes a pixel
    bool is_fixed;                  // the block's shape cannot be chosen
    int multiple_of;                // block width must be a multiple of this
    int planes;                     // untimed: wants a picture of that many; 0: of any
    struct expr pitch;              // untimed: it interleaves the planes, in rows of so many bytes
    unsigned int arrays;            // a lab's: the arrays that it takes, as bits
};

// A library's function that runs in place of a variant's passes.
struct variant_library {
    const struct library_function *function;  // NULL: the variant has passes
    int arguments[LIBRARY_MAX_ARGUMENTS];     // params and arrays, as the function's letters say
    struct tolerance tolerance;               // of its result
    int line;                                 // of the note in the file, from 1
};

struct variant {
    char name[FILTER_NAME];
    char note[320];  // the comment above it: what changed since the one above, and what it buys
    struct pass passes[FILTER_MAX_PASSES];
    int pass_count;
    char prepare[FILTER_ENTRY], finish[FILTER_ENTRY];  // untimed kernels; empty: none
    struct variant_library library;
    bool is_expert;      // it needs more than the course teaches
    bool is_floor;       // it does less than the task, and is no candidate for the fastest
    char compiled[200];  // what the GPU's compiler does differently from the text; or empty
};

// The form of a .bin file: words of four bytes, which are params, and behind them an array.
struct file_form {
    int params[FILTER_MAX_PARAMS], param_count;
    int array;
};

// Sectors of global memory and bank conflicts are those of a whole launch, as the lens counts them.
enum goal_figure { GOAL_SECTORS, GOAL_CONFLICTS, GOAL_TIME, GOAL_FIGURES };
enum goal_unit {
    GOAL_NUMBER,
    GOAL_IDEAL,  // sectors: if each request's bytes lay side by side
    GOAL_COPY,   // sectors or time: those of a device copy that reads and writes as much
    GOAL_UNITS
};

// A goal for grade: points for a figure of at most so many units.
struct goal {
    enum goal_figure figure;
    enum goal_unit unit;
    double limit;
    int points;
};

struct filter {
    char name[FILTER_NAME];  // of the file: kernels/filters/mean.cu is "mean"
    char title[64];
    char key;             // chooses the filter in the viewer; 0: none
    char *path, *source;  // owned
    char *guesses;       // lines that say why notes were guessed; NULL: the file has its own; owned
    int word_bytes;      // at most that its kernels access at once, if its arrays are guessed
    char *calls;         // text through which the host calls its functions (launch.h); owned
    bool has_constants;  // __constant__ arrays of its text are filled
    bool has_weights;    // `weights` in its kernels is what filter_gaussian() computes
    struct param params[FILTER_MAX_PARAMS];
    int param_count;
    struct tolerance tolerance;  // of a lab's float arrays, if its functions may be inexact
    struct expr_let lets[FILTER_MAX_LETS];
    int let_count;
    struct array arrays[ARRAYS_MAX];
    int array_count;
    struct variant variants[FILTER_MAX_VARIANTS];
    int variant_count;
    bool has_file;  // a lab reads and writes .bin files of these forms:
    struct file_form file_in, file_out;
    struct pass before;  // the first pass of each variant that has passes; entry empty: none
    struct pass untimed[FILTER_MAX_UNTIMED];
    int untimed_count;
    struct goal goals[FILTER_MAX_GOALS];
    int goal_count;
};

// The filters of one folder, sorted by name; a file that was added comes first.
struct filter_list {
    struct filter *filters;  // owned
    int count;
    char *mistakes;  // a line for each file that is left out, which names it; NULL: none
};

// Values for a filter's params, in its order.
struct param_values {
    double v[FILTER_MAX_PARAMS];
};

// Reads one kernel file's text. headers: the folder of included headers that do not lie beside the
// file, or NULL. On failure err is "path:line: message", and f is untouched.
bool filter_parse(struct filter *f, const char *path, const char *source, const char *headers,
                  struct error *err);
void filter_finish(struct filter *f);  // accepts a zeroed filter
// A copy of the filter, for a thread that outlives the filter's list.
struct filter *filter_copy(const struct filter *f);
void filter_free(struct filter *copy);  // accepts NULL
// True if both are the same file with the same text. Headers that it includes may differ.
bool filter_has_same_text(const struct filter *a, const struct filter *b);

// Reads every *.cu of a folder and of its folders filters and labs, and leaves out those that do
// not parse. It fails if none is left, if there are more than FILTER_MAX_FILES, or if two have one
// name.
enum { FILTER_FOLDERS = 2 };
extern const char *const filter_folders[FILTER_FOLDERS];  // names of those two
bool filter_list_load(struct filter_list *list, const char *folder, const char *headers,
                      struct error *err);
// The name of a file's filter or lab, which is an option's value and stands in tours: the file's,
// with _ for what is no letter, digit, _ or -, and cut to FILTER_NAME. For g_free.
char *filter_name_of(const char *path);
// Reads one more file, which comes first and hides one of the same name. A file without notes gets
// those that adopt.h proposes, behind its text. False: the list is as it was.
bool filter_list_add(struct filter_list *list, const char *path, const char *headers,
                     struct error *err);
void filter_list_finish(struct filter_list *list);  // accepts a zeroed list
// True if the file of this name was left out; err is its mistake.
bool filter_is_left_out(const struct filter_list *list, const char *name, struct error *err);

// Look-ups by name; NULL or -1 when there is none.
const struct filter *filter_find(const struct filter_list *list, const char *name);
const struct variant *filter_variant(const struct filter *f, const char *name);
int filter_param(const struct filter *f, const char *name);
// The largest value up to this one that the param may have; at least its min.
double filter_snap(const struct param *p, double value);

struct param_values filter_defaults(const struct filter *f);
// Makes the CPU's defaults the defaults of all filters.
void filter_list_use_cpu(struct filter_list *list);

// True if the kernels work on pictures, as a filter's do; a lab has arrays of its own.
static inline bool filter_has_picture(const struct filter *f)
{
    return f->arrays[ARRAYS_IN].extent == ARRAY_PICTURE;
}
const char *filter_kind(const struct filter *f);  // "filter" or "lab", as its first line says

// True if the file says what its results should be.
bool filter_has_reference(const struct filter *f);

// The tolerance for a variant's result in an element of an array: the library's, or for floats the
// file's. a NULL: for all arrays together. v may be NULL.
struct tolerance filter_tolerance(const struct filter *f, const struct variant *v,
                                  const struct array *a, long long index);

// "sectors", "conflicts", "time"; "", "ideal", "copy"
extern const char *const filter_goal_figures[GOAL_FIGURES];
extern const char *const filter_goal_units[GOAL_UNITS];

// True if a variant works on interleaved planes (frame.h): one launch does all of them.
bool filter_is_interleaved(const struct filter *f, const struct variant *v);

// The index of the param "radius", or -1. The arrow keys use it.
int filter_radius(const struct filter *f);

// Compiles arithmetic of less than EXPR_TEXT bytes over the words, the params and the lets.
bool filter_compile(const struct filter *f, struct expr *e, const char *text, struct error *err);
// The same over params and lets only, for values that do not depend on a launch.
bool filter_compile_shape(const struct filter *f, struct expr *e, const char *text,
                          struct error *err);
bool filter_is_word(const struct filter *f, const char *name);
// The untimed kernel of that name; -1: there is none.
int filter_untimed(const struct filter *f, const char *entry);

// Checks every value against its limits and that ints are whole. err names param, value and limits.
bool filter_check(const struct filter *f, const struct param_values *values, struct error *err);

// The value that a name stands for in a param that has names, or -1.
int filter_name_index(const struct param *p, const char *name);

// Read and write a param's value as text: a number, 2^24, or its name. read does not check limits,
// and leaves value untouched if it refuses. write gives the shortest number that read takes back,
// without an exponent below 1e15.
struct value_text {
    char text[FILTER_VALUE];
};
bool filter_read_value(const struct param *p, const char *text, double *value, struct error *err);
struct value_text filter_write_value(const struct param *p, double value);

// False: says that there is no such param, and which there are.
bool filter_refuse_param(const struct filter *f, const char *name, struct error *err);

// Sets one param from a text. filter_check checks the limits later.
bool filter_set_param(const struct filter *f, struct param_values *values, const char *name,
                      const char *text, struct error *err);

// Writes all params, as in "radius 5 · sigma 0"; nothing if there are none.
struct params_text {
    char text[FILTER_MAX_PARAMS * (FILTER_NAME + FILTER_VALUE + 8)];
};
struct params_text filter_write_params(const struct filter *f, const struct param_values *values);
// Appends those whose values are others than in `than`: "n 65536, width 2", the first after
// `first`.
void filter_add_changed(char *text, size_t size, const struct filter *f,
                        const struct param_values *values, const struct param_values *than,
                        const char *first);

// True if the unroll switch, which makes literals of params that are ints, changes anything.
bool filter_can_unroll(const struct filter *f);

// Writes 2 * radius + 1 weights, the centre's at [radius]. They are not negative, symmetric, fall
// from the centre and sum to WEIGHTS_SUM. A sigma of 0 means the one that OpenCV uses for a radius.
// The same params give the same numbers on every machine (base/exact.h).
void filter_gaussian(int *weights, int radius, double sigma);
// Fills the `weights` that kernels see for these values; zeros if the filter has none.
void filter_fill_weights(const struct filter *f, const struct param_values *values,
                         int weights[WEIGHTS_MAX]);

// Packs values as struct launch_params. Returns its size in bytes, at most 4 * FILTER_MAX_PARAMS.
size_t filter_pack(const struct filter *f, const struct param_values *values, void *bytes);
