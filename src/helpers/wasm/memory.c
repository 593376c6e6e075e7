/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the memory of this process until it is too much. */
#include "helpers/wasm/memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS 1000000

static pthread_mutex_t paused = PTHREAD_MUTEX_INITIALIZER;

static struct {
	int fd;
	uint64_t limit;
	void (*over)(void *ctx, uint64_t used);
	void *ctx; /* borrowed */
} watch;

/* Without what it shares with others: files that are mapped, among them what a language was compiled to. */
static uint64_t private_bytes(void)
{
	char text[128];
	unsigned long long size, resident, shared;
	ssize_t n = pread(watch.fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text, "%llu %llu %llu", &size, &resident, &shared) != 3 || resident < shared)
		return 0;
	return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void *look(void *unused)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	(void)unused;
	pthread_mutex_lock(&paused);
	pthread_mutex_unlock(&paused);
	for (;;) {
		uint64_t used = private_bytes();

		if (used > watch.limit)
			watch.over(watch.ctx, used);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

void memory_watch(uint64_t limit, void (*over)(void *ctx, uint64_t used), void *ctx)
{
	pthread_t thread;

	watch.fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	watch.limit = limit;
	watch.over = over;
	watch.ctx = ctx;
	if (watch.fd >= 0 && pthread_create(&thread, NULL, look, NULL) == 0)
		pthread_detach(thread);
}

void memory_watch_pause(bool on)
{
	if (on)
		pthread_mutex_lock(&paused);
	else
		pthread_mutex_unlock(&paused);
}
