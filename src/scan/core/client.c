/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls aisbx-scan, and calls it again after a program that it died of: that is a scan fact about this
 * program. Its answer is limited in time and size, because a program that it reads may have taken it over.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/program.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "base/time.h"
#include "scan/core/scan.h"
#include "scan/core/wire.h"

#define DEADLINE_MS 120000             /* for one program; the helper itself stops long before */
#define MAX_ASKED   ((size_t)64 << 20) /* bytes of programs handed over at once */

/* One helper at work. */
struct talk {
	pid_t pid;
	int answers;   /* owned */
	struct buf in; /* what was read and not yet taken */
	size_t taken;
	bool is_late;
};

static void tell_unread(struct facts *facts, const char *why)
{
	facts_add(facts, &(struct fact){ .kind = FACT_UNREAD,
					 .line = 1,
					 .column = 1,
					 .end_line = 1,
					 .end_column = 1,
					 .name = why });
}

static bool fits(const struct scan_text *t)
{
	return t->len <= WIRE_MAX_TEXT;
}

/* The texts from FIRST on, up to *RET_END, as a file: whoever only reads cannot be held up by
 * the other side. */
static int write_requests(const struct scan_text *texts, size_t first, size_t n, int *ret_fd, size_t *ret_end,
			  struct aisbx_error *e)
{
	scoped(drop_fd) int fd = memfd_create("aisbx-programs", MFD_CLOEXEC);
	size_t i = first, bytes = 0;
	int r = fd < 0 ? -errno : 0;

	for (; r == 0 && i < n && (i == first || bytes + texts[i].len <= MAX_ASKED); i++) {
		char line[WIRE_MAX_NAME + 24];

		if (!fits(&texts[i]))
			break;
		snprintf(line, sizeof(line), "%s %zu\n", texts[i].lang, texts[i].len);
		r = io_write_all(fd, line, strlen(line));
		if (r == 0)
			r = io_write_all(fd, texts[i].text, texts[i].len);
		bytes += texts[i].len;
	}
	if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = -errno;
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, -r, "pass the program to %s", SCAN_HELPER);
	*ret_fd = take_fd(&fd);
	*ret_end = i;
	return 0;
}

static int start(int requests, struct talk *ret, struct aisbx_error *e)
{
	static const char *const argv[] = { SCAN_HELPER, NULL }, *const env[] = { NULL };
	scoped(drop_fd) int program = -1;
	scoped(drop_fd) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	scoped(drop_fd) int in = -1;
	scoped(drop_fd) int out = -1;
	int ends[2], r = program_open(SCAN_HELPER, &program, e);

	if (r < 0)
		return r;
	if (null < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "make a pipe to %s", SCAN_HELPER);
	in = ends[0];
	out = ends[1];
	r = spawn_start(&(struct spawn){ .exec_fd = program,
					 .argv = argv,
					 .env = env,
					 .fds = { requests, out, null },
					 .n_fds = 3 },
			&ret->pid, e);
	if (r == 0)
		ret->answers = take_fd(&in);
	return r;
}

/* Ends it, if it has not ended. Its wait status. */
static int stop(struct talk *t)
{
	int status = 0;

	close_fd(&t->answers);
	if (t->is_late)
		kill(t->pid, SIGKILL);
	while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
		;
	buf_finish(&t->in);
	return status;
}

/* More bytes of the answers. 0 at their end, or when the time is over. */
static int hear(struct talk *t, uint64_t until)
{
	for (;;) {
		struct pollfd p = { .fd = t->answers, .events = POLLIN };
		uint64_t now = time_ms();
		char chunk[65536];
		ssize_t n;
		int r = now < until ? poll(&p, 1, (int)(until - now)) : 0;

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			t->is_late = true;
			return 0;
		}
		n = read(t->answers, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		if (t->taken) {
			memmove(t->in.data, t->in.data + t->taken, t->in.len - t->taken);
			t->in.len -= t->taken;
			t->taken = 0;
		}
		buf_add(&t->in, chunk, (size_t)n);
		return !t->in.failed;
	}
}

/* The next line without its end, borrowed until the next call. NULL: there is none. */
static const char *next_line(struct talk *t, uint64_t until, size_t *ret_len)
{
	size_t searched = 0; /* behind what is taken */

	for (;;) {
		size_t have = t->in.len - t->taken;
		const char *line = have ? t->in.data + t->taken : NULL;
		const char *end = have > searched ? memchr(line + searched, '\n', have - searched) : NULL;

		if (end) {
			*ret_len = (size_t)(end - line);
			t->taken += *ret_len + 1;
			return line;
		}
		searched = have;
		t->is_late |= have > WIRE_MAX_LINE; /* that is no answer, and it may never end */
		if (t->is_late || !hear(t, until))
			return NULL;
	}
}

/* 0 when the facts of one program are all there; -EPIPE when the helper ended before. */
static int take_facts(struct talk *t, struct facts *facts)
{
	uint64_t until = time_ms() + DEADLINE_MS;

	for (;;) {
		size_t len;
		const char *line = next_line(t, until, &len);
		int r = line ? wire_take(line, len, facts) : -EPIPE;

		if (r == -EBADMSG)
			t->is_late = true;
		if (r <= 0)
			return r;
	}
}

static const char *reason_of_death(const struct talk *t, int status)
{
	if (t->is_late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
		return "time";
	return WIFEXITED(status) && WEXITSTATUS(status) == WIRE_NO_MEMORY ? "memory" : "crash";
}

/* Whether the helper works at all: one that cannot says so with its status before it reads anything. */
static int check_end(int status, struct aisbx_error *e)
{
	if (!WIFEXITED(status) || WEXITSTATUS(status) == WIRE_NO_MEMORY || WEXITSTATUS(status) == 0)
		return 0;
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_POLICY, EPROTO,
			    "%s ended with status %d; does the kernel support seccomp?", SCAN_HELPER,
			    WEXITSTATUS(status));
}

/* One helper, from *AT on; moves *AT behind what is answered, and behind what it died of. */
static int talk_once(const struct scan_text *texts, size_t n, size_t *at, struct facts *ret,
		     struct aisbx_error *e)
{
	struct talk t = { .answers = -1 };
	scoped(drop_fd) int requests = -1;
	size_t end = *at;
	int r = write_requests(texts, *at, n, &requests, &end, e), status;

	if (r == 0)
		r = start(requests, &t, e);
	if (r < 0)
		return r;
	while (*at < end && (r = take_facts(&t, &ret[*at])) == 0)
		++*at;
	status = stop(&t);
	if (*at == end)
		return 0;
	if (r == -ENOMEM)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "store the findings of %s", SCAN_HELPER);
	r = check_end(status, e);
	if (r == 0)
		tell_unread(&ret[(*at)++], reason_of_death(&t, status));
	return r;
}

int scan_facts(const struct scan_text *texts, size_t n, struct facts *ret, struct aisbx_error *e)
{
	int r = 0;

#ifdef AISBX_NO_SCAN
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_POLICY, ENOSYS,
			    "this aisbx was built without %s (see -Dscan), so it cannot scan programs",
			    SCAN_HELPER);
#endif
	for (size_t at = 0; r == 0 && at < n;) {
		if (fits(&texts[at]))
			r = talk_once(texts, n, &at, ret, e);
		else
			tell_unread(&ret[at++], "size");
	}
	for (size_t i = 0; r == 0 && i < n; i++) {
		if (ret[i].dropped)
			tell_unread(&ret[i], "facts");
		if (ret[i].failed)
			r = aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "store the findings of %s", SCAN_HELPER);
	}
	return r;
}
