/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The helper process for merging texts and git's rules: it reads its requests from a file and answers through
 * a pipe.
 */
#include "layer/merge_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/program.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "sys/subids.h"
#include "sys/sys.h"

void merge_helper_add_word(struct buf *requests, const char *word)
{
	buf_add(requests, word, strlen(word) + 1);
}

/* As a file: whoever only reads cannot be held up by the other side. */
static int write_requests(const struct buf *b, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = memfd_create("aisbx-requests", MFD_CLOEXEC);
	int r = b->failed ? -ENOMEM : fd < 0 ? -errno : sys_write_all(fd, b->data, b->len);

	if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = -errno;
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "write the requests for %s", HELPER);
	*ret_fd = take_fd(&fd);
	return 0;
}

/* The namespace in which it can read what it is asked to; -1: it can where it is, or nowhere. */
static int needed_ids(const struct buf *requests)
{
	const char *end = requests->data + requests->len;

	if (geteuid() == 0 || requests->failed)
		return -1;
	for (const char *word = requests->data; word < end; word += strlen(word) + 1)
		if (*word == '/' && access(word, R_OK) < 0 && errno == EACCES) {
			int fd = sys_subids_namespace();

			return fd < 0 ? -1 : fd;
		}
	return -1;
}

#define WITHOUT "AISBX_WITHOUT"

int merge_helper_start(const struct buf *requests, const char *dir, struct merge_helper *ret,
		       struct aisbx_error *e)
{
	const char *without = getenv(WITHOUT);
	const char *const env[] = { without && !strcmp(without, "landlock") ? WITHOUT "=landlock" : NULL,
				    NULL };
	const char *const argv[] = { HELPER, dir, NULL };
	scoped(drop_fd) int program = -1;
	scoped(drop_fd) int file = -1;
	scoped(drop_fd) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	scoped(drop_fd) int in = -1;
	scoped(drop_fd) int out = -1;
	int ends[2], ids = needed_ids(requests), r;

	r = program_open(HELPER, &program, e);
	if (r == 0)
		r = write_requests(requests, &file, e);
	if (r < 0)
		return r;
	if (null < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "make a pipe to %s", HELPER);
	in = ends[0];
	out = ends[1];
	ret->answers = fdopen(in, "r");
	if (!ret->answers)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "read from %s", HELPER);
	take_fd(&in);
	r = spawn_start(&(struct spawn){ .exec_fd = program,
					 .argv = argv,
					 .env = env,
					 .fds = { file, out, null, ids },
					 .n_fds = ids < 0 ? 3 : 4 },
			&ret->pid, e);
	if (r < 0)
		fclose(ret->answers);
	return r;
}

int merge_helper_take(struct merge_helper *h, size_t len, struct buf *b)
{
	char chunk[65536];

	while (len) {
		size_t n = fread(chunk, 1, len < sizeof(chunk) ? len : sizeof(chunk), h->answers);

		if (!n)
			return 0;
		if (b)
			buf_add(b, chunk, n);
		len -= n;
	}
	return 1;
}

int merge_helper_end(struct merge_helper *h)
{
	int status = 0;

	fclose(h->answers);
	while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int merge_helper_fail_early(int status, struct aisbx_error *e)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == HELPER_NO_WALLS) {
		aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, EPROTO,
			     "%s reads files of a box only behind Landlock, which is not available here",
			     HELPER);
		return aisbx_hint(e, "boot with 'lsm=landlock,...' (Linux 5.13 or later), or set " WITHOUT
				     "=landlock to do without that wall");
	}
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, EPROTO,
			    "%s ended early with status %d; is the library libgit2 installed?", HELPER,
			    WEXITSTATUS(status));
}
