/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel how much memory this program uses: lists, answers and what the allocator keeps. */
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
/* What a program of ours has when it comes to the first name, and more. */
#define AT_START ((size_t)16 << 20)

/* Bytes; 0: it cannot be told. */
static size_t resident_now(void)
{
	scoped(drop_fd) int fd = WITH_ASAN ? -1
					   : open("/proc/self/statm",
						  O_RDONLY | O_CLOEXEC); /* its shadow is no list of ours */
	unsigned long all, resident;
	char text[128];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	return sscanf(text, "%lu %lu", &all, &resident) == 2 ? resident * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

/* What a server holds for its sessions its children have from it, and it is not of this box: beyond what a
 * program starts with it does not count. */
static size_t from_before(size_t now)
{
	static size_t first;

	if (!first)
		first = now;
	return first > AT_START ? first - AT_START : 0;
}

bool memory_is_over(size_t most)
{
	size_t now = resident_now();

	return now > most + from_before(now);
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
	return aisbx_refuse(e, aisbx_kind_of(area, ENOBUFS), area, ENOBUFS,
			    MEMORY_WORDS "; nothing was changed");
}
