// tours_command.c -- `tilescope tours`: the tours that the program comes with.
#include <glib.h>
#include <stdio.h>

#include "base/terminal.h"
#include "commands/commands.h"
#include "tour/tour_list.h"

// False: some of them cannot be read.
static bool print(const struct tour_list *list)
{
    bool is_good = true;
    int width = 0;
    for (int i = 0; i < list->count; i++)
        if (list->entries[i].title)
            width = MAX(width, (int)g_utf8_strlen(list->entries[i].name, -1));
    for (int i = 0; i < list->count; i++) {
        const struct tour_entry *e = &list->entries[i];
        const int pad = width - (int)g_utf8_strlen(e->name, -1);
        if (e->title)
            terminal_print(stdout, "%s%*s  %s, %d step%s\n", e->name, pad, "", e->title, e->steps,
                           e->steps == 1 ? "" : "s");
        else
            terminal_print(stderr, "tilescope: %s\n", e->why);
        is_good &= e->title != NULL;
    }
    return is_good;
}

static enum outcome tours(const struct options *o)
{
    struct error err = {""};
    struct filter_list filters = {0};
    struct tour_list list = {0};
    if (!command_load_filters(&filters, o, NULL, &err)) return command_fail(OUTCOME_REFUSED, &err);
    char *folder = options_tour_folder(o);
    tour_list_load(&list, folder, options_lends_tours(o), &filters);
    g_free(folder);
    const bool is_good = print(&list);
    if (list.left_out)
        terminal_print(stderr,
                       "tilescope: %d of the program's tours are left out: '%s' does not have "
                       "their labs\n",
                       list.left_out, o->data);
    tour_list_finish(&list);
    filter_list_finish(&filters);
    return is_good ? OUTCOME_DONE : OUTCOME_REFUSED;
}

const struct command command_tours = {
    .name = "tours",
    .options = OPTIONS_TOURS,
    .run = tours,
    .usage = "tours",
    .summary = "the tours that the program comes with",
    .about = "Lists the tours that D shows in the window, with their steps. Without a\n"
             "window, tilescope tour NAME plays one.",
};
