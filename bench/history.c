/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What noting a run costs, and a history to ask: notes runs through the program's own function, each beside a bare write
 * of as many bytes to another file. Prints the times of every TIMED-th one (0: none), in nanoseconds: note, write.
 * usage: history-fill DIR FIRST RUNS TIMED BOX...; runs FIRST, FIRST + 1, ... of which each has an id of its own
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "store/store.h"

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static const char *const commands[] = { "make test", "python3 -m pytest -q tests/unit", "sh -c 'npm ci && npm run build'",
					"cargo check", "git status --porcelain", "ls -la src" };

/* As long as those of real runs. */
static const char result[] =
	"{\"run\":\"r-%016lx\",\"trace_id\":\"0123456789abcdef0123456789abcdef\",\"status\":\"%s\",\"exit_code\":%d,"
	"\"signal\":null,\"truncated\":{\"stdout\":0,\"stderr\":0},\"isolation\":{\"driver\":\"native\",\"level\":\"full\","
	"\"walls\":[\"userns\",\"mount\",\"pid\",\"net\",\"ipc\",\"uts\",\"cgroup\",\"root\",\"landlock\",\"caps\","
	"\"no-new-privs\",\"descriptors\",\"seccomp\"],\"missing\":[],\"caps\":[]},\"usage\":{\"wall_ms\":12.5,"
	"\"cpu_ms\":3.25,\"mem_peak\":12345678,\"disk\":4096},\"limit\":null,\"violations\":[],"
	"\"violations_not_listed\":0,\"error\":null}";

/* Spread like random numbers, and the same every time: ids come in no order. */
static unsigned long id_of(unsigned long i)
{
	i = (i + 1) * 0x9E3779B97F4A7C15UL;
	return i ^ i >> 29;
}

static void make_run(struct store_run *r, unsigned long i, unsigned long runs, char *const *boxes, size_t n_boxes,
		     long long now_ms, char command[128], char kept[1024])
{
	bool failed = i % 7 == 0;

	snprintf(r->id, sizeof(r->id), "r-%016lx", id_of(i));
	/* The first box has ten runs; the others share the rest. */
	snprintf(r->box, sizeof(r->box), "%s", n_boxes == 0 ? "" : i % (runs / 10 + 1) == 0 || n_boxes == 1 ? boxes[0] :
		 boxes[1 + i % (n_boxes - 1)]);
	snprintf(r->status, sizeof(r->status), "%s", failed ? "failed" : "ok");
	r->exit_code = failed;
	r->started_ms = now_ms - (long long)(runs - i % runs) * 1000;
	r->wall_ms = 12.5;
	snprintf(command, 128, "%s --seed %lu", commands[i % (sizeof(commands) / sizeof(*commands))], i);
	snprintf(kept, 1024, result, id_of(i), r->status, (int)failed);
	r->command = command;
	r->result = kept;
}

int main(int argc, char **argv)
{
	unsigned long first, runs, timed;
	struct aisbx_error e = AISBX_ERROR_INIT;
	char command[128], kept[1024], path[4096], line[2048];
	long long now_ms = (long long)time(NULL) * 1000;
	int bare;

	if (argc < 5)
		return 2;
	first = strtoul(argv[2], NULL, 10);
	runs = strtoul(argv[3], NULL, 10);
	timed = strtoul(argv[4], NULL, 10);
	snprintf(path, sizeof(path), "%s.bare", argv[1]);
	bare = timed ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
	if (timed && bare < 0)
		return 1;
	memset(line, 'x', sizeof(line));
	for (unsigned long i = first; i < first + runs; i++) {
		struct store_run r = { 0 };
		long long start, noted, end;
		size_t len;

		make_run(&r, i, runs, argv + 5, (size_t)argc - 5, now_ms, command, kept);
		len = strlen(command) + strlen(kept) + 90;
		start = now_ns();
		if (store_run_note(argv[1], &r, &e) < 0) {
			fprintf(stderr, "%s\n", e.text);
			return 1;
		}
		noted = now_ns();
		if (timed == 0 || i % timed != 0)
			continue;
		if (write(bare, line, len) != (ssize_t)len)
			return 1;
		end = now_ns();
		printf("%lld %lld\n", noted - start, end - noted);
	}
	if (timed)
		unlink(path);
	return 0;
}
