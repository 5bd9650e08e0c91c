// keep_loaded.c -- for what opens a window under LeakSanitizer: libraries stay loaded.
//
// It looks for leaks as the process ends, when X has long unloaded Mesa's driver, and then cannot
// name the library that allocated; so leaks.txt could not tell the driver's leaks from ours. The
// dynamic linker takes this dlclose for everyone's.
int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
