// devices.c -- `tilescope devices`: what there is, what would be taken, and why not the better
// ones; the recorded times of others; and where compiled kernels are kept.
//
// Which GPU draws is known only with a window. It is opened by a child of this program, so that
// this command neither touches GL nor dies with it.
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/rows.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "device/backend.h"
#include "device/cache.h"
#include "frame/recording.h"

enum { MAX_DEVICES = 16 };

// The probe ends with this process, whose signals it does not get.
static void end_with_parent(gpointer unused)
{
    (void)unused;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

// Runs `tilescope view --probe` and returns its answer. NULL: why says in one line what failed.
static cJSON *probe_window(const struct options *o, struct error *why)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL), *out = NULL, *errors = NULL;
    char *argv[] = {self,
                    "view",
                    "--probe",
                    "--device",
                    o->device ? o->device : "auto",
                    "--path",
                    o->path ? o->path : "auto",
                    NULL};
    int status = 0;
    cJSON *json = NULL;
    if (!self || !g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, end_with_parent, NULL, &out,
                               &errors, &status, NULL))
        error_set(why, "cannot run the probe of the window");
    else if (!(json = cJSON_Parse(out)))
        error_set_log(why, *g_strstrip(errors) ? errors : "the probe of the window died");
    return json;
}

static cJSON *collect(const struct options *o, struct error *err)
{
    struct device devices[MAX_DEVICES];
    char reasons[2048] = "";
    struct error why = {""};
    int count;
    cJSON *chosen = probe_window(o, &why);
    const bool has_window = chosen != NULL;
    if (!has_window) {  // the device that render takes
        struct backend *b =
            backend_open(o->device ? o->device : "auto", reasons, sizeof reasons, err);
        if (!b) return NULL;
        chosen = cJSON_CreateObject();
        rows_add_members(chosen, "device%s path%s", backend_device(b)->id, "none");
        command_add_lines(chosen, "reasons", reasons);
        backend_close(b);
    }
    backend_list(devices, MAX_DEVICES, &count, reasons, sizeof reasons);
    cJSON *json = cJSON_CreateObject();
    cJSON *array = cJSON_AddArrayToObject(json, "devices");
    for (const struct device *d = devices; d < devices + count; d++) {
        cJSON *one = rows_add_object(array);
        rows_add_members(one, "id%s name%s driver%s gpu%i", d->id, d->name, d->driver, d->is_gpu);
        if (d->is_gpu) cJSON_AddStringToObject(one, "arch", d->arch);
        cJSON_AddNumberToObject(one, d->is_gpu ? "multiprocessors" : "threads", d->multiprocessors);
        rows_add_members(
            one, "max_threads_per_block%d max_shared_bytes_per_block%g memory_bytes%g l2_bytes%g",
            d->max_threads, (double)d->max_shared_bytes, (double)d->memory_bytes,
            (double)d->l2_bytes);
    }
    command_add_lines(json, "missing", reasons);
    for (cJSON *item; (item = chosen->child);)
        cJSON_AddItemToObject(json, item->string, cJSON_DetachItemViaPointer(chosen, item));
    if (!has_window) cJSON_AddStringToObject(json, "window", why.text);
    g_auto(GStrv) recordings = recording_installed();
    g_autofree char *headers = options_include_folder(o);
    array = cJSON_AddArrayToObject(json, "times");
    for (char **path = recordings; *path; path++) {
        // A file that cannot be read is no news here: --times says what is wrong with it.
        struct recording *r = recording_open(*path, headers, NULL);
        if (!r) continue;
        g_autofree char *name = recording_name(*path);
        rows_add_members(rows_add_object(array), "name%s about%s", name, r->about);
        recording_destroy(r);
    }
    g_autofree char *cache = cache_folder(&why);
    cJSON_AddStringToObject(json, cache ? "cache" : "no_cache", cache ? cache : why.text);
    cJSON_Delete(chosen);
    return json;
}

static const char *text_of(const cJSON *json, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(json, name));
    return text ? text : "";
}

static void print_text(const cJSON *json)
{
    const cJSON *item, *missing = cJSON_GetObjectItem(json, "missing"),
                       *times = cJSON_GetObjectItem(json, "times");
    bool has_gpu = false;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(json, "devices"))
    {
        terminal_print(stdout, "%-8s %s", text_of(item, "id"), text_of(item, "name"));
        if (*text_of(item, "arch")) terminal_print(stdout, ", %s", text_of(item, "arch"));
        terminal_print(stdout, ", %s\n", text_of(item, "driver"));
        has_gpu |= cJSON_IsTrue(cJSON_GetObjectItem(item, "gpu"));
    }
    if (!has_gpu) terminal_print(stdout, "%-8s No NVIDIA GPU: kernels run on the CPU.\n", "-");
    cJSON_ArrayForEach(item, missing)
        terminal_print(stdout, "%-8s %s\n", has_gpu ? "-" : "", item->valuestring);
    terminal_print(stdout, "%-8s %s\n", "window",
                   *text_of(json, "renderer") ? text_of(json, "renderer")
                                              : text_of(json, "window"));
    terminal_print(stdout, "%-8s device %s, path %s\n", "taken", text_of(json, "device"),
                   text_of(json, "path"));
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(json, "reasons"))
    {
        bool is_told = false;
        const cJSON *line;
        cJSON_ArrayForEach(line, missing) is_told |= !strcmp(line->valuestring, item->valuestring);
        if (!is_told) terminal_print(stdout, "%-8s %s\n", "because", item->valuestring);
    }
    cJSON_ArrayForEach(item, times) terminal_print(stdout, "%-8s %s  %s\n", "times",
                                                   text_of(item, "name"), text_of(item, "about"));
    if (*text_of(json, "no_cache"))
        terminal_print(stdout, "%-8s compiled kernels are not kept: %s\n", "cache",
                       text_of(json, "no_cache"));
    else
        terminal_print(stdout, "%-8s %s\n", "cache", text_of(json, "cache"));
}

static enum outcome devices(const struct options *o, struct error *err)
{
    cJSON *json = collect(o, err);
    if (!json) return OUTCOME_REFUSED;
    const bool is_json = o->format && !strcmp(o->format, "json");
    if (!signals_came() && !is_json) print_text(json);  // after a signal, an answer may be missing
    if (!signals_came() && is_json)
        command_print_json(json);
    else
        cJSON_Delete(json);
    return OUTCOME_DONE;
}

const struct command command_devices = {
    .name = "devices",
    .options = OPTIONS_DEVICES,
    .run = devices,
    .usage = "devices",
    .summary = "devices, the path chosen and why",
    .about = "Lists the devices, which one the window would take along which path, and\n"
             "why not the better ones.",
};
