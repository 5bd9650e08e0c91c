#include "device_suite.h"

#include <stdio.h>
#include <stdlib.h>

enum { SKIPPED = 77 };

static bool open_suite(struct device_suite *s, const char *device, const char *folder,
                       struct error *err)
{
    char reasons[1024];
    s->backend = backend_open(device, reasons, sizeof reasons, err);
    if (!s->backend) return false;
    backend_set_include(s->backend, folder);
    references_open(&s->references, s->backend, NULL);
    return true;
}

int device_suite_main(int argc, char **argv, device_suite_check *check)
{
    const char *const folder = argc > 4 ? argv[4] : TILESCOPE_KERNELS;
    struct device_suite s = {.max_steps = argc > 2 ? 1e9 * atof(argv[2]) : 0,
                             .only = argc > 3 ? argv[3] : NULL};
    struct device_suite_outcome o = {0};
    struct error err = {""};
    if (!open_suite(&s, argc > 1 ? argv[1] : "cpu", folder, &err)) {
        printf("skipped: %s\n", err.text);
        return SKIPPED;
    }
    const bool is_complete =
        filter_list_load(&s.filters, folder, NULL, &err) && check(&s, &o, &err);
    if (!is_complete) printf("FAILED %s\n", err.text);
    printf("%s: %ld run, %ld of them wrong, %ld refused with a reason, %ld left out as too long\n",
           backend_device(s.backend)->name, o.run, o.wrong, o.refused, o.left_out);
    filter_list_finish(&s.filters);
    references_close(&s.references);
    backend_close(s.backend);
    return is_complete && !o.wrong ? 0 : 1;
}
