/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls aisbx-file. The program is passed in memory, followed by the request, as the command's input, and is
 * executed from there: it needs no file of the box, and nobody in the box can change it.
 */
#include "box/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/program.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/owner.h"
#include "layer/usage.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

/* How long to try again what a snapshot, or a start, is in the way of. */
#define AGAIN_MS 10000
/* As long as the box may be looked at for what it has already. */
#define LOOK_US 20000
/* An answer may hold what was read, with its margins. */
#define MAX_ANSWER (64u << 20)

void box_file_reply_finish(struct box_file_reply *r)
{
	free(r->data);
	driver_result_finish(&r->run);
}

static int copy_program(int fd, off_t *ret_size, struct aisbx_error *e)
{
	scoped(drop_fd) int place = -1;
	scoped(drop_fd) int program = -1;
	char path[32];
	struct stat st;
	off_t at = 0;
	int r = program_open("aisbx-file", &place, e);

	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "/proc/self/fd/%d",
		 place); /* it was opened to be executed, not to be read */
	program = open(path, O_RDONLY | O_CLOEXEC);
	if (program < 0 || fstat(program, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "read aisbx-file");
	while (at < st.st_size) {
		ssize_t n = sendfile(fd, program, &at, (size_t)(st.st_size - at));

		if (n <= 0)
			return aisbx_fail(e, AISBX_AREA_BOX, n < 0 ? errno : EIO, "read aisbx-file");
	}
	*ret_size = st.st_size;
	return 0;
}

static int add(int fd, const void *data, size_t len)
{
	for (const char *at = data; len;) {
		ssize_t n = write(fd, at, len);

		if (n < 0)
			return -errno;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Program and question, sealed; its offset stands where the question begins. */
static int make_input(const struct box_file_ask *ask, uint64_t room, int *ret_fd, struct aisbx_error *e)
{
	/* A kernel before 6.3 has no such flag, and executes what it makes without. */
	scoped(drop_fd) int fd = memfd_create("aisbx-file", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
	struct file_request head = ask->head;
	off_t size = 0;
	int r;

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("aisbx-file", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "allocate memory for aisbx-file");
	r = copy_program(fd, &size, e);
	if (r < 0)
		return r;
	head.magic = FILE_MAGIC;
	head.room = room;
	for (int i = 0; i < FILE_PARTS; i++)
		if (!head.len[i] && ask->part[i])
			head.len[i] = strlen(ask->part[i]);
	r = add(fd, &head, sizeof(head));
	for (int i = 0; r == 0 && i < FILE_PARTS; i++) {
		r = add(fd, ask->part[i], head.len[i]);
		if (r == 0)
			r = add(fd, "", 1);
	}
	/*
	 * Who executes what it cannot read is out of reach of ptrace, and of /proc, for all others in the box
	 * from its first instruction on.
	 */
	if (r == 0 && (fchmod(fd, 0111) < 0 || lseek(fd, size, SEEK_SET) < 0 ||
		       fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0))
		r = -errno;
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "write the request for aisbx-file");
	*ret_fd = take_fd(&fd);
	return 0;
}

/* What the box may still write; who watches it while it runs would come too late for a single file. */
static uint64_t room_of(const struct run_spec *req)
{
	const struct usage_how how = { .until_us = time_us() + LOOK_US, .most = USAGE_ALL };
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int top = -1;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	uint64_t limit = req->profile.limits[LIMIT_DISK];
	struct usage used;

	if (!limit || req->box.purpose != RUN_CHANGES)
		return UINT64_MAX;
	if (box_state_open(&state, &ignored) < 0 || box_find(&state, req->box.id, &box, &ignored) < 0)
		return limit; /* who asks hears it from the run */
	path = path_join(state.layers, box.top);
	top = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (top < 0 || usage_count(top, &how, &used) < 0)
		return limit;
	return used.bytes < limit ? limit - used.bytes : 0;
}

/* A live box may just be stopped for a snapshot, or not be ready to be joined. */
static int run_patiently(struct run_spec *req, int input, struct driver_result *ret, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	uint64_t until = time_ms() + AGAIN_MS;
	int r;

	for (;;) {
		off_t at = lseek(input, 0, SEEK_CUR);

		r = box_run(req, ret, e);
		if ((r != -EAGAIN && !(r == -EBUSY && e->area == AISBX_AREA_JAIL)) || time_ms() >= until)
			return r;
		lseek(input, at, SEEK_SET);
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		nanosleep(&pause, NULL);
	}
}

/* It is ours, so how it ends is not its own doing. */
static int judge(const struct driver_result *result, struct aisbx_error *e)
{
	const struct run_outcome *o = &result->outcome;
	int said = o->output[1].len < 200 ? (int)o->output[1].len : 200;

	if (o->interrupted_by || o->end == RUN_INTERRUPTED)
		return aisbx_refuse(e, AISBX_KIND_CANCELLED, AISBX_AREA_BOX, ECANCELED, "it was cancelled");
	if (o->limit == LIMIT_WALL_TIME || o->limit == LIMIT_LIFETIME)
		return aisbx_refuse(e, AISBX_KIND_TIMEOUT, AISBX_AREA_BOX, ETIMEDOUT, "it took too long");
	if (o->limit != LIMIT_COUNT)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EDQUOT,
				    "the box reached its limit '%s' (%llu); --%s changes it for runs",
				    limit_name(o->limit), (unsigned long long)result->limits[o->limit],
				    limit_option(o->limit));
	if (o->end == RUN_EXEC_FAILED)
		return aisbx_fail(e, AISBX_AREA_BOX, o->status < 0 ? -o->status : o->status,
				  "start aisbx-file in the box (see the kernel's setting vm.memfd_noexec)");
	if (o->end != RUN_EXITED || !WIFEXITED(o->status) || WEXITSTATUS(o->status))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "aisbx-file ended without an answer (%d, %d)%s%.*s", (int)o->end,
				    o->status, said ? ": " : "", said, said ? o->output[1].data : "");
	return 0;
}

int box_file_send(struct run_spec *req, const struct box_file_ask *ask, int out_fd, struct driver_result *ret,
		  struct aisbx_error *e)
{
	struct driver_result result = { 0 };
	scoped(drop_fd) int input = -1;
	int r = make_input(ask, room_of(req), &input, e);

	if (r < 0)
		return r;
	req->command.env = NULL; /* nothing of the caller's is its business */
	req->command.cwd = "/";
	req->io.stdin_fd = input;
	req->io.out_fds[0] = out_fd;
	req->io.out_fds[1] = -1;
	req->io.direct = true;
	req->walls.any = true;
	r = run_patiently(req, input, &result, e);
	if (r < 0)
		return r;
	r = judge(&result, e);
	if (r < 0)
		driver_result_finish(&result);
	else
		*ret = result;
	return r;
}

int box_file_watch(struct run_spec *req, const struct box_file_ask *ask, int out_fd, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	scoped(drop_fd) int live = -1;
	struct driver_result result = { 0 };
	int r = box_state_open(&state, e);

	if (r == 0)
		r = box_find(&state, req->box.id, &box, e);
	if (r == 0)
		r = box_live_connect(&state, &box, &live, e);
	if (r < 0)
		return r;
	req->box.exec = true;
	req->box.exec_fd = live;
	req->io.watcher = true;
	req->profile.limits[LIMIT_WALL_TIME] = 0;
	r = box_file_send(req, ask, out_fd, &result, e);
	driver_result_finish(&result);
	return r;
}

bool box_file_checks(const struct file_answer *a, uint64_t left)
{
	return a->magic == FILE_MAGIC && a->data_len <= left && a->why < FILE_WHYS && a->type < FILE_TYPES &&
	       a->error >= 0 && a->before <= a->data_len && a->behind <= a->data_len - a->before &&
	       a->mode <= 07777;
}

/* Others in the box may have got hold of it: what it says is checked, and read once. */
static int hear(int fd, struct box_file_reply *ret, struct aisbx_error *e)
{
	struct file_answer *a = &ret->head;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(*a) || st.st_size > (off_t)MAX_ANSWER ||
	    pread(fd, a, sizeof(*a), 0) != sizeof(*a) ||
	    !box_file_checks(a, (uint64_t)st.st_size - sizeof(*a)))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "the answer of aisbx-file is invalid");
	ret->data = malloc(a->data_len + 1);
	if (!ret->data)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the answer of aisbx-file");
	n = pread(fd, ret->data, a->data_len, sizeof(*a));
	if (n < 0 || (uint64_t)n != a->data_len)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "the answer of aisbx-file is incomplete");
	ret->data[a->data_len] = '\0';
	return 0;
}

int box_file_do(struct run_spec *req, const struct box_file_ask *ask, struct box_file_reply *ret,
		struct aisbx_error *e)
{
	scoped(drop_fd) int out = memfd_create("aisbx-answer", MFD_CLOEXEC);
	struct box_file_reply reply = { 0 };
	int r = out < 0 ? aisbx_fail(e, AISBX_AREA_BOX, errno, "allocate memory for an answer")
			: box_file_send(req, ask, out, &reply.run, e);

	if (r == 0)
		r = hear(out, &reply, e);
	if (r < 0)
		box_file_reply_finish(&reply);
	else
		*ret = reply;
	return r;
}

bool box_file_entry(const char *data, size_t len, size_t *at, struct file_entry *ret, const char **ret_name,
		    const char **ret_target)
{
	size_t left = len - *at;

	if (*at > len || left < sizeof(*ret))
		return false;
	memcpy(ret, data + *at, sizeof(*ret));
	left -= sizeof(*ret);
	if (ret->name_len > left || ret->target_len > left - ret->name_len || ret->type == 0 ||
	    ret->type >= FILE_TYPES || ret->mode > 07777)
		return false;
	*ret_name = data + *at + sizeof(*ret);
	*ret_target = *ret_name + ret->name_len;
	*at += sizeof(*ret) + ret->name_len + ret->target_len;
	return true;
}
