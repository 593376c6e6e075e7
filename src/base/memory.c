/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel what this program holds: lists, answers and what the allocator keeps between them, whoever took it. */
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/asan.h"
#include "base/error.h"
#include "base/scope.h"

/* So many names, with all that is kept of each, are less than a megabyte. */
#define EVERY 64

bool memory_is_over(size_t most)
{
	scoped(drop_fd) int fd = WITH_ASAN ? -1 : open("/proc/self/statm", O_RDONLY | O_CLOEXEC); /* its shadow is no list of ours */
	unsigned long all, resident;
	char text[128];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return false;
	text[n] = '\0';
	return sscanf(text, "%lu %lu", &all, &resident) == 2 && resident * (unsigned long)sysconf(_SC_PAGESIZE) > most;
}

static bool ran_out;

int memory_check(void)
{
	static unsigned int calls;

	if (calls++ % EVERY || !memory_is_over(MEMORY_NAMES))
		return 0;
	ran_out = true;
	return -ENOBUFS;
}

bool memory_ran_out(void)
{
	return ran_out;
}

int memory_refuse(struct aisbx_error *e, int area)
{
	return aisbx_refuse(e, area, ENOBUFS, MEMORY_WORDS "; nothing was changed");
}
