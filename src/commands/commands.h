// commands.h -- the commands of the command line, and what they share. main.c parses the options
// and answers --help. A command prints results to stdout and returns how to exit; main.c prints one
// line to stderr that says why it was refused.
#pragma once

#include <cjson/cJSON.h>

#include "app/options.h"
#include "app/state.h"
#include "base/image.h"
#include "device/backend.h"

struct command {
    const char *name;
    enum options_of options;
    enum outcome (*run)(const struct options *o, struct error *err);  // main.c prints err
    double grace_s;               // after Ctrl-C, to print what is finished; 0: 3 s, to tidy up
    const char *usage, *summary;  // "list", and what it does in a few words
    const char *about;            // what --help says above the list of options
    char *(*more)(void);          // the text below that list, which the caller frees; NULL: none
};
extern const struct command command_view, command_render, command_run, command_bench,
    command_compare, command_lens, command_sass, command_grade, command_adopt, command_tour,
    command_list, command_tours, command_devices;

// Two that --help does not list. The first prints the page of the manual, which the build installs.
// The second prints for a shell what the last of the words, which end with NULL, may become.
enum outcome command_manual(const struct command *const *commands, int count);
enum outcome command_complete(const struct command *const *commands, int count, char *const *words);

// Does the work of a process that this program has started (grade, the window's machine code).
// *is_part: the words are those of such a process; else nothing was done.
enum outcome command_part(int argc, char **argv, bool *is_part);

// The size of bench's noise: --size, or the usual one.
bool bench_noise_size(const struct options *o, int *width, int *height, struct error *err);
// What bench --record does. is_caught: a launch does not end, and nothing was closed.
enum outcome bench_record(const struct options *o, bool *is_caught, struct error *err);

// Prints one line on stderr: "tilescope: " and the message. Returns outcome.
enum outcome command_fail(enum outcome outcome, const struct error *err);
// Formats the message of a wrong command line.
enum outcome command_misuse(struct error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void command_print_json(cJSON *json);  // and deletes it
// Adds the lines of a text as an array.
void command_add_lines(cJSON *json, const char *name, const char *lines);

// Loads the filters of the options' folder, behind that of the options' file. True: the caller
// finishes the list. Guesses about the file go to stderr. notice, which may be NULL, says which
// filter has lost its key (input_settle_keys).
bool command_load_filters(struct filter_list *filters, const struct options *o,
                          struct error *notice, struct error *err);
// The keys as --help lists them, with those of the filters; the caller frees it.
char *command_keys(void);
// Opens the options' device for kernels of the options' folder, and gives labs its defaults. NULL:
// err says why.
struct backend *command_open_device(const struct options *o, struct filter_list *filters,
                                    struct error *err);

// Loads a picture; path NULL: noise of --size, or the sample picture.
bool command_load_picture(struct image *picture, const struct options *o, const char *path,
                          struct error *err);
// "scene.png, 480×270 colour"; the caller frees it.
char *command_describe_picture(struct planes picture, const char *name);

// The file of a tour that a word names, by its path or its name. NULL: err says why there is none.
// The caller frees it.
char *command_find_tour(const struct options *o, const char *word,
                        const struct filter_list *filters, struct error *err);

// If the first word is the name of a filter or lab, it becomes --filter, and the others are
// pictures: a file of that name is ./NAME. False: --filter names another one, or the word names
// neither a filter nor a file.
bool command_take_name(const struct filter_list *filters, struct options *o, struct error *err);

// The index of a lab's array; -1: err lists the names that there are.
int command_find_array(const struct filter *lab, const char *name, struct error *err);

// The path of the picture that --restore's screenshot was made of. If the file has changed, it says
// so on stderr and in changed. NULL: err says why there is none. The caller frees it.
char *command_find_picture(const struct options *o, const struct state_picture *picture,
                           struct error *changed, struct error *err);

// False if any result is wrong; err counts them.
bool command_all_right(int wrong, struct error *err);

// True if a file can be written there. Ask before a minute of measuring.
bool command_can_write(const char *path, struct error *err);

// True if the device and the host have so many bytes free, or do not say. On the CPU both are taken
// from the host. Linux itself would promise more than it has. `what` names the need in the message,
// such as "the arrays".
bool command_has_memory(const char *what, const struct device *device, double device_bytes,
                        double host_bytes, struct error *err);

// Writes one picture without a window. view does this if there is no display.
enum outcome command_render_headless(const struct options *o, const char *output,
                                     struct error *err);
