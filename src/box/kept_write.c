/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the kept output of a run: under a name of no run first, so that a file is complete or not there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "box/box.h"
#include "box/kept_output.h"

/* A larger one is packed at once, by another process; small ones when their project's room is full. */
#define PACK_AT_ONCE (256u << 10)
/* Written where bytes are missing. */
#define CUT "\n[aisbx: %llu bytes cut here]\n"

bool kept_output_is_run(const char *name)
{
	return !strncmp(name, "r-", 2) && strlen(name) < STORE_ID_MAX &&
	       strspn(name + 2, "0123456789abcdef") == strlen(name) - 2;
}

int kept_output_dir(bool make, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *state = box_state_dir(e);
	scoped(drop_mem) char *path = state ? path_join(state, "output") : NULL;
	int fd;

	if (!path)
		return state ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the state directory") : e->code;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && make) {
		if (store_make_dirs(state, e) < 0)
			return e->code;
		mkdir(path, 0700); /* or somebody else did */
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0)
		return errno == ENOENT && !make ? -ENOENT
						: aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", path);
	*ret_fd = fd;
	return 0;
}

/* gc asks one day whether the project is still there. */
static void note_project(int dir, const char *project)
{
	scoped(drop_fd) int fd = openat(dir, KEPT_DIR, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0)
		io_write_all(fd, project, strlen(project)); /* without it the project counts as gone */
}

static int open_project(const char *project, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int all = -1;
	uint8_t sum[SHA256_BYTES];
	char name[17];
	struct sha256 hash;
	int fd, r = kept_output_dir(true, &all, e);

	if (r < 0)
		return r;
	sha256_init(&hash);
	sha256_add(&hash, project, strlen(project));
	sha256_end(&hash, sum);
	io_hex(sum, 8, name);
	fd = openat(all, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		mkdirat(all, name, 0700);
		fd = openat(all, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			note_project(fd, project);
	}
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open the directory for output");
	*ret_fd = fd;
	return 0;
}

/* What the reader sees between head and tail. */
static size_t make_mark(const struct kept_output *k, char *buf, size_t cap)
{
	struct runlog_head head = { .stream = RUNLOG_STDOUT };
	size_t n;

	if (!k->cut)
		return 0;
	memcpy(&head.time_us, k->tail.bytes.data + k->tail.from, sizeof(head.time_us));
	n = (size_t)snprintf(buf + sizeof(head), cap - sizeof(head), CUT, (unsigned long long)k->cut);
	head.len = (uint32_t)n;
	memcpy(buf, &head, sizeof(head));
	return sizeof(head) + n;
}

static int write_records(int fd, const struct kept_output *k, uint64_t *ret_bytes)
{
	const struct kept_records *t = &k->tail;
	struct kept_head head = { .magic = KEPT_MAGIC, .cut = k->cut };
	char mark[128];
	struct iovec parts[] = {
		{ &head, sizeof(head) },
		{ k->head.bytes.data, k->head.bytes.len },
		{ mark, make_mark(k, mark, sizeof(mark)) },
		{ t->bytes.data ? t->bytes.data + t->from : mark, t->bytes.len - t->from },
	};
	ssize_t n;

	head.len = parts[1].iov_len + parts[2].iov_len + parts[3].iov_len;
	*ret_bytes = sizeof(head) + head.len;
	do
		n = writev(fd, parts, 4);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)*ret_bytes ? 0 : n < 0 ? -errno : -ENOSPC;
}

/* Under its name, or not at all. */
static int write_file(int dir, const struct kept_output *k, const char *run, uint64_t *ret_bytes)
{
	scoped(drop_fd) int fd = -1;
	char half_made[STORE_ID_MAX + 1];
	int r;

	snprintf(half_made, sizeof(half_made), ".%s", run);
	fd = openat(dir, half_made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_records(fd, k, ret_bytes);
	if (r == 0 && renameat(dir, half_made, dir, run) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(dir, half_made, 0);
	return r;
}

/* Adds what one file takes to the sum of the project, and returns that. */
static uint64_t count(int dir, uint64_t bytes)
{
	static const char zeros[2 * (KEPT_OUTPUT_RUN / KEPT_BLOCK)];
	scoped(drop_fd) int fd =
		openat(dir, KEPT_SIZE, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	size_t blocks = (size_t)((bytes + KEPT_BLOCK - 1) / KEPT_BLOCK);
	struct stat st;

	if (fd < 0 || io_write_all(fd, zeros, blocks < sizeof(zeros) ? blocks : sizeof(zeros)) < 0 ||
	    fstat(fd, &st) < 0)
		return UINT64_MAX; /* who cannot add sweeps */
	return (uint64_t)st.st_size * KEPT_BLOCK;
}

int kept_output_write(struct kept_output *k, const char *project, const char *run, struct aisbx_error *e)
{
	scoped(drop_mem) char *state = NULL;
	scoped(drop_fd) int dir = -1;
	uint64_t bytes = 0;
	int r;

	if (!k->room || (!k->head.bytes.len && !k->head.bytes.failed))
		return 0;
	if (k->head.bytes.failed || k->tail.bytes.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "keep the output");
	state = box_state_dir(e);
	r = state ? kept_output_scrub(k, state, e) : e->code; /* rather nothing than a secret */
	if (r == 0)
		r = open_project(project ? project : "", &dir, e);
	if (r < 0)
		return r;
	r = write_file(dir, k, run, &bytes);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "keep the output");
	if (count(dir, bytes) > k->room || bytes >= PACK_AT_ONCE)
		kept_output_sweep_apart(dir, k->room);
	return 0;
}
