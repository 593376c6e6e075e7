/* SPDX-License-Identifier: Apache-2.0 */
/* A trial, what it wrote to by /proc/self/pagemap, and the same pages made ready in another instance. */
#include "helpers/wasm/warm.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/scope.h"
#include "helpers/wasm/language.h"
#include "helpers/wasm/report.h"

#define PAGE 4096u
/* Bits of pagemap: the page is there; it is that of a file. */
#define PRESENT (1ull << 63)
#define OF_FILE (1ull << 61)
/* Pages between two that are written to, and are given with them: a call costs about as much. */
#define GAP 2
#ifndef MADV_POPULATE_WRITE /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

/* Copies of what the memory began with, and what came to it. */
static void find_written(struct started *p, struct warm *ret)
{
	scoped(drop_fd) int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entries[512];
	uint8_t *memory;
	size_t len;

	if (fd < 0 || language_memory(p, &memory, &len) < 0)
		return;
	for (size_t at = 0; at < len / PAGE; at += 512) {
		const off_t from = (off_t)(((uintptr_t)memory / PAGE + at) * sizeof(*entries));
		ssize_t n = pread(fd, entries, sizeof(entries), from) / (ssize_t)sizeof(*entries);

		for (ssize_t i = 0; i < n && at + (size_t)i < len / PAGE; i++)
			buf_add(&ret->pages, &(char){ (entries[i] & (PRESENT | OF_FILE)) == PRESENT }, 1);
		if (n < 512)
			break;
	}
}

void warm_try(wasm_engine_t *engine, const struct program *program, const struct start *s, struct warm *ret)
{
	struct report ignored = { 0 };
	struct aisbx_error e = { 0 };
	struct started p;
	wasmtime_error_t *error = NULL;
	wasm_trap_t *trap = NULL;

	if (!s->language || start_instance(engine, program, s, &p, &ignored, &e) < 0) {
		buf_finish(&ignored.text);
		return;
	}
	if (s->language->run)
		s->language->run(s, &p, &error, &trap);
	if (error)
		wasmtime_error_delete(error);
	if (trap)
		wasm_trap_delete(trap);
	find_written(&p, ret);
	started_finish(&p);
	buf_finish(&ignored.text);
}

void warm_memory(const struct warm *w, struct started *p)
{
	uint8_t *memory;
	size_t len, n = w->pages.len;

	if (!n || w->pages.failed || language_memory(p, &memory, &len) < 0)
		return;
	n = n < len / PAGE ? n : len / PAGE;
	for (size_t at = 0; at < n; at++) {
		size_t end = at, last = at;

		if (!w->pages.data[at])
			continue;
		for (; end < n && end - last <= GAP; end++)
			if (w->pages.data[end])
				last = end;
		/* An older kernel does it page by page, later. */
		madvise(memory + at * PAGE, (last + 1 - at) * PAGE, MADV_POPULATE_WRITE);
		at = last;
	}
}
