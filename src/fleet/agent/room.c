/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory and pressure of the machine. Without memory a node takes nothing new, with busy processors no
 * more than it has of them; what runs goes on. */
#include "fleet/agent/room.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/scope.h"

/* Free memory that one more job should find, in KiB. */
#define JOB_KIB (64ul << 10)
/* Shares of the last ten seconds, in percent: all tasks waited for memory; some waited for a processor. */
#define MEMORY_FULL 10.0
#define CPU_SOME    90.0

static double after(const char *text, const char *line, const char *name)
{
	const char *at = text ? strstr(text, line) : NULL;

	at = at ? strstr(at, name) : NULL;
	return at ? strtod(at + strlen(name), NULL) : -1;
}

unsigned room_of(unsigned most, unsigned processors, const char *meminfo, const char *memory_pressure,
		 const char *cpu_pressure)
{
	const double free_kib = after(meminfo, "MemAvailable:", "MemAvailable:");

	if (after(memory_pressure, "full ", "avg10=") > MEMORY_FULL)
		return 0;
	if (after(cpu_pressure, "some ", "avg10=") > CPU_SOME && most > processors)
		most = processors;
	if (free_kib >= 0 && free_kib / JOB_KIB < most)
		most = (unsigned)(free_kib / JOB_KIB);
	return most;
}

static char *read_text(const char *path, struct buf *b)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && io_read_all(fd, 65536, b) == 0 ? b->data : NULL;
}

unsigned room_now(unsigned most)
{
	scoped(buf_finish) struct buf memory = { 0 }, full = { 0 }, cpu = { 0 };

	return room_of(most, (unsigned)get_nprocs(), read_text("/proc/meminfo", &memory),
		       read_text("/proc/pressure/memory", &full), read_text("/proc/pressure/cpu", &cpu));
}
