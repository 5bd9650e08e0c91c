// Writes the sample pictures: make_pictures FOLDER. tests/test_pictures.c compares them with it.
#include <stdio.h>
#include <stdlib.h>

#include "base/image.h"
#include "pictures.h"

static const struct {
    const char *name;
    void (*make)(struct planes to);
} pictures[] = {{"scene.png", make_scene}, {"chart.png", make_chart}};

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_pictures FOLDER\n");
        return 2;
    }
    struct image image;
    struct error err;
    int status = EXIT_FAILURE;
    if (!image_init(&image, PICTURE_WIDTH, PICTURE_HEIGHT, 3, &err)) goto done;
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], pictures[i].name);
        pictures[i].make(image.planes);
        if (!image_save(image.planes, path, NULL, 0, &err)) goto finish;
    }
    status = EXIT_SUCCESS;
finish:
    image_finish(&image);
done:
    if (status) fprintf(stderr, "make_pictures: %s\n", err.text);
    return status;
}
