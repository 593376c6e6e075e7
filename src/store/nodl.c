/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite can load extensions; aisbx never does, and a static program cannot. The linker puts these in
 * the place of dlopen and its kin (--wrap), so that nothing of the C library's loader is called.
 */
#include <stddef.h>

void *__wrap_dlopen(const char *path, int flags);
void *__wrap_dlsym(void *handle, const char *name);
int __wrap_dlclose(void *handle);
char *__wrap_dlerror(void);

void *__wrap_dlopen(const char *path, int flags)
{
	(void)path;
	(void)flags;
	return NULL;
}

void *__wrap_dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

int __wrap_dlclose(void *handle)
{
	(void)handle;
	return -1;
}

char *__wrap_dlerror(void)
{
	return "extensions are not loaded";
}
