#include "app/baseline_state.h"

#include <glib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"

void baseline_state_write(cJSON *json, const struct baseline *b)
{
    const double ms[] = {b->ms.median, b->ms.lower, b->ms.upper};
    if (!b->ms.count) return;
    cJSON *pinned = cJSON_AddObjectToObject(json, "baseline");
    cJSON_AddStringToObject(pinned, "filter", b->filter);
    cJSON_AddStringToObject(pinned, "variant", b->variant);
    cJSON_AddStringToObject(pinned, "params", b->params);
    cJSON_AddStringToObject(pinned, "block", b->block);
    cJSON_AddStringToObject(pinned, "size", b->size);
    cJSON_AddStringToObject(pinned, "device", b->device);
    cJSON_AddItemToObject(pinned, "ms", cJSON_CreateDoubleArray(ms, G_N_ELEMENTS(ms)));
    cJSON_AddNumberToObject(pinned, "samples", b->ms.count);
}

// Only words to be shown and compared: they need not be of a filter that there is.
static bool read_words(const cJSON *json, const char *name, char *text, size_t size)
{
    const char *words = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
    if (!words || strlen(words) >= size) return false;
    char *clean = terminal_clean(words);
    text_copy_line(text, size, clean);
    g_free(clean);
    return true;
}

static bool read_times(const cJSON *json, struct stats_summary *ms)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "ms");
    const cJSON *samples = cJSON_GetObjectItemCaseSensitive(json, "samples");
    double *const places[] = {&ms->median, &ms->lower, &ms->upper};
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 3 || !cJSON_IsNumber(samples) ||
        !(samples->valuedouble >= 1 && samples->valuedouble <= 1e6))
        return false;
    for (int i = 0; i < 3; i++) {
        const cJSON *item = cJSON_GetArrayItem(list, i);
        if (!cJSON_IsNumber(item)) return false;
        *places[i] = item->valuedouble;
    }
    ms->count = samples->valueint;
    return ms->lower > 0 && ms->lower <= ms->median && ms->median <= ms->upper && ms->upper < 1e9;
}

bool baseline_state_read(struct baseline *b, const cJSON *json)
{
    struct baseline found = {.ms.count = 0};
    const bool is_read = read_words(json, "filter", found.filter, sizeof found.filter) &&
                         read_words(json, "variant", found.variant, sizeof found.variant) &&
                         read_words(json, "params", found.params, sizeof found.params) &&
                         read_words(json, "block", found.block, sizeof found.block) &&
                         read_words(json, "size", found.size, sizeof found.size) &&
                         read_words(json, "device", found.device, sizeof found.device) &&
                         read_times(json, &found.ms);
    if (is_read) *b = found;
    return is_read;
}
