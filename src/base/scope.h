/* SPDX-License-Identifier: Apache-2.0 */
/* Cleanup at the end of a scope, and moving a resource out of its scope. */
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define scoped(fn) __attribute__((cleanup(fn)))

static inline void drop_mem(void *p)
{
	free(*(void **)p);
}

static inline void drop_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void drop_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

static inline void drop_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* A descriptor in a longer-lived place: closed once, then marked as closed. */
static inline void close_fd(int *fd)
{
	drop_fd(fd);
	*fd = -1;
}

static inline void *take_mem(void *p)
{
	void *taken = *(void **)p;

	*(void **)p = NULL;
	return taken;
}

#endif
