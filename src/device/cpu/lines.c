#include "device/cpu/lines.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/process.h"

enum { SITES_A_RUN = 500 };
static const double LIMIT_S = 20;

static char *run_addr2line(const char *program, const char *path, const unsigned int *sites,
                           int count, struct error *err)
{
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);
    char **environment = g_environ_setenv(g_get_environ(), "LC_ALL", "C", TRUE), *said = NULL;
    const char *const first[] = {program, "-a", "-i", "-e", path};
    for (size_t i = 0; i < G_N_ELEMENTS(first); i++) g_ptr_array_add(argv, g_strdup(first[i]));
    for (int i = 0; i < count; i++) g_ptr_array_add(argv, g_strdup_printf("0x%x", sites[i]));
    g_ptr_array_add(argv, NULL);
    const struct process process = {
        .argv = (char **)argv->pdata, .environment = environment, .limit_s = LIMIT_S};
    if (!process_run(&process, &said, err) && said) {
        error_set(err, "cannot find source lines: %s", g_strchomp(said));
        g_clear_pointer(&said, g_free);
    }
    g_strfreev(environment);
    g_ptr_array_free(argv, TRUE);
    return said;
}

// "/home/me/mean.cu:27 (discriminator 2)"; "??:0" is not known.
static void add_place(struct trace_chain *chain, const char *line)
{
    const char *const colon = strrchr(line, ':'), *const slash = strrchr(line, '/');
    const int number = colon ? atoi(colon + 1) : 0;
    if (number <= 0 || chain->count == TRACE_MAX_PLACES) return;
    const char *const name = slash && slash < colon ? slash + 1 : line;
    struct trace_place *place = &chain->places[chain->count++];
    g_strlcpy(place->file, name, MIN(sizeof place->file, (size_t)(colon - name) + 1));
    place->line = number;
}

// The outermost line is the one where a kernel begins: there the emulator calls its body.
static void read_chains(char *said, int count, struct trace_chain *chains)
{
    char **lines = g_strsplit(said, "\n", -1);
    int at = -1;
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, "0x"))
            at++;
        else if (at >= 0 && at < count)
            add_place(&chains[at], *line);
    }
    for (int i = 0; i < count; i++)
        if (chains[i].count > 1 && chains[i].count < TRACE_MAX_PLACES) chains[i].count--;
    g_strfreev(lines);
}

bool lines_find(const char *path, const unsigned int *sites, int count, struct trace_chain *chains,
                struct error *err)
{
    char *program = g_find_program_in_path("addr2line");
    if (!program)
        return error_set(err, "source lines are not known: addr2line is missing, install binutils");
    bool is_found = true;
    for (int done = 0; done < count && is_found; done += SITES_A_RUN) {
        const int now = MIN(SITES_A_RUN, count - done);
        memset(chains + done, 0, sizeof *chains * (size_t)now);
        char *said = run_addr2line(program, path, sites + done, now, err);
        is_found = said != NULL;
        if (said) read_chains(said, now, chains + done);
        g_free(said);
    }
    g_free(program);
    return is_found;
}
