// The text of machine code that a GPU has loaded: nvdisasm prints it, and nothing is compiled.
#include "unit.h"

#include <sys/stat.h>

#include "folder.h"
#include "frame/machine_text.h"

TEST(what_was_loaded_is_shown)
{
    // It prints the file that it is given last, as the real one does.
    static const char disassembler[] = "#!/bin/sh\nfor file; do :; done\ntail -c +5 \"$file\"\n";
    struct filter no_kernel = {.path = "none.cu", .source = "does not compile"};
    const struct build_code loaded = {(void *)"\177ELFas it was loaded", 4 + 16};
    const struct translation asked = {
        .build.params = "", .include = ".", .target = {90, 13, false}};
    struct machine_text made;
    char *const folder = folder_make();
    g_autofree char *program = folder_file(folder, "nvdisasm", disassembler);
    g_autofree char *places = g_strconcat(folder, ":", g_getenv("PATH"), NULL);
    chmod(program, 0700);
    char *const path = unit_set("PATH", places), *const nvrtc =
                                                     unit_set("TILESCOPE_NVRTC", "/none");
    g_autofree char *found = backend_find_program("nvdisasm");
    if (found) {  // else this build has no CUDA
        must(machine_text_make(&made, &no_kernel, &asked, &loaded, &err));
        assert_string_equal(made.text, "as it was loaded");
        assert_string_equal(made.why_no_sass.text, "");
        g_free(made.text);
    }
    // One that hangs does not hold up who closes the window.
    g_free(folder_file(folder, "nvdisasm", "#!/bin/sh\nexec sleep 1000\n"));
    chmod(program, 0700);
    const atomic_bool is_closing = true;
    struct translation ended = asked;
    ended.cancel = &is_closing;
    if (found) {
        assert_false(machine_text_make(&made, &no_kernel, &ended, &loaded, &err));
        assert_non_null(strstr(err.text, "it was cancelled"));
    }
    unit_restore("PATH", path);
    unit_restore("TILESCOPE_NVRTC", nvrtc);
    folder_end(folder);
}
