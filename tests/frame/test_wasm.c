// test_wasm -- the rewritten text of every kernel file (rewrite.h) is C++ for other machines, too.
// Clang and lld make WebAssembly of it, and in Node it leaves the same bytes in memory as on the
// CPU device, at small awkward sizes.
//
// A file whose results have a tolerance is only compiled, because its last bits are those of the C
// library's functions. Kernels that stay on fibers are left out. Without clang, wasm-ld or node the
// test skips (77).
#include "on_device.h"

#include <stdio.h>

#include "base/image.h"
#include "device/cpu/cuda_text.h"
#include "device/device_text.h"
#include "device/headers.h"
#include "device/process.h"
#include "folder.h"
#include "frame/frame.h"
#include "frame/trials.h"

enum { SKIPPED = 77, BEFORE = 0xee };

// What wasm.mjs reads: its top says what is in it.
struct cases {
    struct backend *backend;
    struct headers headers;
    char *folder;
    GString *json;
    GByteArray *bytes;
    int count;
};

// What a kernel needs of the emulator, except for barriers.
static const char block_text[] =
    "extern \"C\" {\n"
    "EMULATOR_THREAD_LOCAL uint3 threadIdx, blockIdx;\n"
    "EMULATOR_THREAD_LOCAL dim3 blockDim, gridDim;\n"
    "static unsigned char block_memory[256 << 10] __attribute__((aligned(16)));\n"
    "EMULATOR_THREAD_LOCAL unsigned char *emulator_tile = block_memory;\n"
    "EMULATOR_THREAD_LOCAL struct emulator_turn emulator_turn;\n"
    "EMULATOR_EXPORT void begin_launch(unsigned gw, unsigned gh, unsigned bw, unsigned bh)\n"
    "{\n    gridDim = dim3(gw, gh);\n    blockDim = dim3(bw, bh);\n}\n"
    "EMULATOR_EXPORT void begin_block(unsigned x, unsigned y, unsigned z)\n"
    "{\n    blockIdx = uint3{x, y, z};\n"
    "    emulator_turn = {blockDim.x * blockDim.y, 0, 0, false};\n}\n}\n";

static void run_program(const char *program, const char *const *arguments)
{
    g_autofree char *path = g_find_program_in_path(program), *said = NULL;
    char *const command[] = {path, NULL};
    const bool is_well =
        process_run(&(struct process){.command = command, .arguments = arguments}, &said, &err);
    if (said && *said) print_message("%s", said);
    if (!is_well) fail_msg("%s", said ? program : err.text);
}

// FOLDER/NAME.wasm, with those of compiler.c's flags that decide results.
static void compile(const struct cases *c, const struct filter *f, const char *rewritten)
{
    g_autofree char *device = device_text(f->source, f->calls, &c->headers);
    g_autofree char *own = cuda_text(device, NULL), *name = g_strconcat(f->name, ".wasm", NULL);
    g_autoptr(GString) fast = g_string_new(rewritten);
    g_string_replace(fast, "emulator_turn.is_strict", "false", 0);  // only that is compiled
    g_autofree char *text = g_strconcat("#include \"device/cpu/cuda_words.h\"\n", own, "\n",
                                        fast->str, block_text, NULL);
    g_autofree char *source = folder_file(c->folder, "kernel.cpp", text);
    g_autofree char *made = folder_file(c->folder, name, NULL);
    const char *const arguments[] = {"--target=wasm32",
                                     "-std=gnu++17",
                                     "-nostdlib",
                                     "-nostdinc++",
                                     "-fno-exceptions",
                                     "-fno-threadsafe-statics",
                                     "-ffp-contract=off",
                                     "-fno-strict-aliasing",
                                     "-fvisibility=hidden",
                                     "-O0",
                                     "-mbulk-memory",
                                     "-w",
                                     "-I" TILESCOPE_SOURCE_DIR "/src",
                                     "-I" TILESCOPE_KERNELS,
                                     "-Wl,--no-entry,--export-dynamic,--allow-undefined",
                                     source,
                                     "-o",
                                     made,
                                     NULL};
    run_program("clang", arguments);
}

static guint add_bytes(struct cases *c, const void *bytes, size_t size)
{
    g_byte_array_append(c->bytes, bytes, (guint)size);
    return c->bytes->len - (guint)size;
}

// ---- one case: a variant at a size ----

static long offset_of(const struct frame_memory *memory, const void *at)
{
    return at ? (const char *)at - (const char *)memory->arrays : -1;
}

static void add_planes(struct cases *c, const struct frame *frame,
                       const struct frame_memory *memory, int array)
{
    const struct planes p = frame_planes(frame, memory, array);
    g_string_append_printf(c->json, "[%ld,%d,%d,%d,%d,%zu]", offset_of(memory, p.pixels), p.width,
                           p.height, p.pitch, frame->plan.pitch ? 1 : p.count, p.plane_bytes);
}

static void add_pass(struct cases *c, const struct frame *frame, const struct frame_memory *memory,
                     int pass)
{
    const struct launch_config *l = &frame->plan.passes[pass].config;
    g_string_append_printf(c->json, "%s[\"%s\",[%d,%d,%d,%d],[", pass ? "," : "",
                           frame->choice.variant->passes[pass].entry, l->grid_width, l->grid_height,
                           l->block_width, l->block_height);
    if (filter_has_picture(frame->choice.filter)) {
        add_planes(c, frame, memory, ARRAYS_OUT);
        g_string_append_c(c->json, ',');
        add_planes(c, frame, memory, ARRAYS_IN);
    }
    g_string_append_printf(c->json, "],[%ld", offset_of(memory, frame_array(frame, memory, 0)));
    for (int i = 1; i < frame->arrays.count; i++)
        g_string_append_printf(c->json, ",%ld", offset_of(memory, frame_array(frame, memory, i)));
    g_string_append_printf(c->json, "],%u,%zu]", add_bytes(c, frame->params, frame->params_bytes),
                           frame->params_bytes);
}

static void add_constants(struct cases *c, const struct frame *frame,
                          const struct frame_memory *memory)
{
    const struct filter *f = frame->choice.filter;
    const char *comma = "";
    g_string_append(c->json, "\"constants\":[");
    for (int i = 0; i < f->array_count; i++) {
        const bool is_weights = f->has_weights && i == ARRAYS_WEIGHTS;
        if (!is_weights && !f->arrays[i].is_constant) continue;
        g_string_append_printf(c->json, "%s[\"%s\",%ld,%zu]", comma,
                               is_weights ? "constant_weights" : f->arrays[i].name,
                               offset_of(memory, frame_array(frame, memory, i)),
                               is_weights ? sizeof(int[WEIGHTS_MAX])
                                          : frame->arrays.places[i].bytes);
        comma = ",";
    }
    g_string_append(c->json, "],");
}

static void add_case(struct cases *c, struct frame *frame, const struct trial *trial)
{
    const struct variant *v = frame->choice.variant;
    struct frame_memory memory = {.arrays = NULL};
    struct planes source = trial_picture(trial);
    OWNED(image_finish) struct image picture = {0};
    char size[64];
    frame->choice.settings.params = trial->params;
    if (source.width) {
        must(image_init(&picture, source.width, source.height, source.count, &err));
        image_fill_noise(picture.planes, trial->seed);
        source = picture.planes;
    }
    trial_write_size(trial, frame->choice.filter, size, sizeof size);
    if (!frame_plan(frame, source, &err)) {
        print_message("left out: %s %s: %s\n", frame->choice.filter->name, v->name, err.text);
        return;
    }
    const struct arrays_layout *l = &frame->arrays;
    const size_t bytes = l->bytes + l->own_bytes + l->shared_bytes;
    g_autofree void *host = g_malloc(bytes);
    must(backend_alloc(c->backend, bytes, &memory.arrays, &err));
    memory.own = (char *)memory.arrays + l->bytes;
    memory.shared = (char *)memory.own + l->own_bytes;
    must(backend_fill(c->backend, memory.arrays, BEFORE, bytes, &err));
    if (source.width)
        must(backend_upload(
            c->backend,
            planes_at(l->places[ARRAYS_IN].picture, frame_array(frame, &memory, ARRAYS_IN)), source,
            &err));
    must(frame_fill(frame, &memory, &err) && frame_prepare(frame, &memory, &err) &&
         frame_poison(frame, &memory, &err));
    must(backend_read(c->backend, host, memory.arrays, bytes, &err));
    g_string_append_printf(c->json, "%s{\"file\":\"%s\",\"name\":\"%s at %s\",\"size\":%zu,",
                           c->count++ ? ",\n" : "", frame->choice.filter->name, v->name, size,
                           bytes);
    g_string_append_printf(c->json, "\"before\":%u,", add_bytes(c, host, bytes));
    must(frame_run(frame, &memory, &err) &&
         backend_read(c->backend, host, memory.arrays, bytes, &err));
    g_string_append_printf(c->json, "\"after\":%u,", add_bytes(c, host, bytes));
    add_constants(c, frame, &memory);
    g_string_append(c->json, "\"passes\":[");
    for (int pass = 0; pass < v->pass_count; pass++) add_pass(c, frame, &memory, pass);
    g_string_append(c->json, "]}");
    backend_free(c->backend, memory.arrays);
}

// ---- all files ----

static const char *why_kept(char *const *kept, const struct variant *v)
{
    for (; *kept; kept += 2)
        for (int pass = 0; pass < v->pass_count; pass++)
            if (!strcmp(kept[0], v->passes[pass].entry)) return kept[1];
    return NULL;
}

static void add_file(struct cases *c, const struct filter *f)
{
    const struct build build = {.path = f->path, .source = f->source, .calls = f->calls};
    g_auto(GStrv) kept = NULL;
    g_autofree char *rewritten = backend_rewrite(&build, TILESCOPE_KERNELS, &kept, NULL, &err);
    must(rewritten != NULL);
    compile(c, f, rewritten);
    if (f->tolerance.unit) return;
    struct module *const module = frame_build(c->backend, f, (struct build){.is_fast = true}, &err);
    const int before = c->count;
    must(module != NULL);
    for (int i = 0; i < f->variant_count; i++) {
        struct frame frame = {.backend = c->backend, .module = module};
        frame.choice = (struct choice){f, &f->variants[i], {.params = filter_defaults(f)}};
        const char *const why = why_kept(kept, frame.choice.variant);
        struct trial trials[TRIALS_EDGES];
        trials_at_edges(trials, &frame.choice);
        if (why) print_message("left out: %s %s: %s\n", f->name, f->variants[i].name, why);
        trials[0].planes *= 3;
        for (int k = 0; k < TRIALS_EDGES && !why && f->variants[i].pass_count; k++)
            add_case(c, &frame, &trials[k]);
    }
    backend_unload(c->backend, module);
    if (c->count == before) fail_msg("nothing of %s can be compared", f->name);
}

TEST(node_leaves_the_same_bytes)
{
    OWNED(filter_list_finish) struct filter_list filters = {.filters = NULL};
    struct cases c = {.folder = folder_make(),
                      .json = g_string_new("["),
                      .bytes = g_byte_array_new(),
                      .backend = open_device("cpu")};
    must(headers_load(&c.headers, TILESCOPE_KERNELS, &err));
    must(filter_list_load(&filters, TILESCOPE_KERNELS, NULL, &err));
    for (int i = 0; i < filters.count; i++) add_file(&c, &filters.filters[i]);
    g_string_append(c.json, "]\n");
    g_free(folder_file(c.folder, "cases.json", c.json->str));
    g_autofree char *bytes = folder_file(c.folder, "bytes", NULL);
    must(file_write(bytes, c.bytes->data, c.bytes->len, &err));
    print_message("%d cases\n", c.count);
    run_program("node",
                (const char *[]){TILESCOPE_SOURCE_DIR "/tests/frame/wasm.mjs", c.folder, NULL});
    backend_close(c.backend);
    headers_finish(&c.headers);
    g_string_free(c.json, TRUE);
    g_byte_array_unref(c.bytes);
    folder_end(c.folder);
}

int main(void)
{
    static const char *const programs[] = {"clang", "wasm-ld", "node"};
    for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
        g_autofree char *found = g_find_program_in_path(programs[i]);
        if (!found) printf("skipped: there is no %s\n", programs[i]);
        if (!found) return SKIPPED;
    }
    g_setenv("TILESCOPE_THREADS", "1", TRUE);  // so that blocks run in Node's order
    return unit_run("wasm", NULL, NULL);
}
