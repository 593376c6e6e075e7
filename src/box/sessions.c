/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of sessions in the state directory, and expiry of the boxes of ended sessions. */
#include "box/sessions.h"

#include <errno.h>
#include <sys/wait.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/log.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "box/box.h"
#include "box/owner.h"

#define PLACE  "sessions"
#define DIGITS 16
/* Where the token begins; bytes of what stands for it. */
#define PLAIN     (4 + DIGITS)
#define LABEL_MAX (BOX_SESSION_MAX - PLAIN - 1)
#define LEFT_MS   ((int64_t)BOX_LEFT_DAYS * 86400000)

bool box_is_session(const char *owner)
{
	return (!strncmp(owner, "mcp-", 4) || !strncmp(owner, "rpc-", 4)) &&
	       strspn(owner + 4, "0123456789abcdef") == DIGITS &&
	       (!owner[PLAIN] || (owner[PLAIN] == ':' && owner[PLAIN + 1] && box_is_owner(owner)));
}

/* A digest begins with what no name that stands for itself begins with. */
static void label_token(const char *token, char ret[static LABEL_MAX])
{
	uint64_t sum =
		0xcbf29ce484222325; /* FNV-1a: tokens are named by who keeps them, not by who has them */

	if (box_is_owner(token) && token[0] != ':' && strlen(token) < LABEL_MAX) {
		strcpy(ret, token);
		return;
	}
	for (const char *c = token; *c; c++)
		sum = (sum ^ (unsigned char)*c) * 0x100000001b3;
	snprintf(ret, LABEL_MAX, ":%016llx", (unsigned long long)sum);
}

void box_session_name(const char *token, char ret[static BOX_SESSION_MAX])
{
	char label[LABEL_MAX];
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		abort(); /* it asks for 8 bytes and cannot be interrupted */
	label_token(token, label);
	snprintf(ret, BOX_SESSION_MAX, "mcp-%016llx:%s", (unsigned long long)number, label);
}

/* False: it is of no token. */
static bool label_of(const char *owner, char ret[static LABEL_MAX])
{
	const bool session = box_is_session(owner);

	if (session && owner[PLAIN])
		snprintf(ret, LABEL_MAX, "%s", owner + PLAIN + 1);
	else if (!session && !strncmp(owner, BOX_TOKEN_OWNER, strlen(BOX_TOKEN_OWNER)))
		label_token(owner + strlen(BOX_TOKEN_OWNER), ret);
	else
		return false;
	return true;
}

bool box_session_is_same(const char *a, const char *b)
{
	char label[2][LABEL_MAX];

	return label_of(a, label[0]) && label_of(b, label[1]) && !strcmp(label[0], label[1]);
}

/* -ENOENT, with E as it was: there is none, and it was not to be made. */
static int open_place(bool make, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *state = box_state_dir(e);
	scoped(drop_mem) char *path = state ? path_join(state, PLACE) : NULL;
	int fd;

	if (!path)
		return state ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the state directory") : e->code;
	if (make && store_make_dirs(state, e) < 0)
		return e->code;
	if (make)
		mkdir(path, 0700); /* or somebody else did */
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT && !make ? -ENOENT
						: aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", path);
	*ret_fd = fd;
	return 0;
}

bool box_session_has_ended(const char *owner)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int place = -1;
	scoped(drop_fd) int fd = -1;
	const int r = open_place(false, &place, &ignored);

	if (r < 0)
		return r == -ENOENT && !ignored.code; /* else it is not known */
	fd = openat(place, owner, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? errno == ENOENT : flock(fd, LOCK_EX | LOCK_NB) == 0;
}

int box_session_begin(const char *owner, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int place = -1;
	int r = open_place(true, &place, e);

	while (r == 0) {
		scoped(drop_fd) int fd =
			openat(place, owner, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		struct stat here, named;

		/* Shared: who names an owner like this has it twice. Who settles it holds it alone, and then
		 * its file is gone. */
		if (fd < 0 || flock(fd, LOCK_SH) < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, errno, "start the session '%s'", owner);
		if (fstat(fd, &here) == 0 && fstatat(place, owner, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
		    here.st_ino == named.st_ino) {
			*ret_fd = take_fd(&fd);
			return 0;
		}
	}
	return r;
}

/* In one transaction with the events that tell of it. */
static int leave_boxes(struct box_state *s, const char *owner, size_t *ret_n, struct aisbx_error *e)
{
	struct store_box *boxes = NULL;
	size_t n = 0, left = 0;
	int r = store_begin(s->store, e);

	if (r == 0)
		r = store_box_list(s->store, &boxes, &n, e);
	for (size_t i = 0; i < n; i++) {
		if (r == 0 && !strcmp(boxes[i].owner, owner) && !boxes[i].expires_ms) {
			r = store_box_set_expiry(s->store, boxes[i].id, box_now_ms() + LEFT_MS, e);
			if (r == 0)
				r = store_event_add(s->store, "box.left", boxes[i].id, NULL, e,
						    "{\"name\":\"%s\",\"owner\":\"%s\",\"days\":%d}",
						    boxes[i].name, owner, BOX_LEFT_DAYS);
			left++;
		}
		store_box_finish(&boxes[i]);
	}
	free(boxes);
	if (r == 0)
		r = store_commit(s->store, e);
	store_rollback(s->store);
	*ret_n += r == 0 ? left : 0;
	return r;
}

/* Its file goes last: who is killed before that is followed by somebody who finds it. */
static int settle_one(int place, const char *owner, struct box_state *state, size_t *ret_n,
		      struct aisbx_error *e)
{
	scoped(drop_fd) int fd = openat(place, owner, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int r = 0;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0) /* it lives, or another settles it */
		return 0;
	if (!state->store)
		r = box_state_open(state, e);
	if (r == 0)
		r = leave_boxes(state, owner, ret_n, e);
	if (r == 0)
		unlinkat(place, owner, 0);
	return r;
}

int box_sessions_settle(size_t *ret_n, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(strlist_finish) struct strlist owners = { 0 };
	scoped(drop_dir) DIR *d = NULL;
	struct dirent *entry;
	int place = -1, r = open_place(false, &place, e);

	*ret_n = 0;
	if (r < 0)
		return r == -ENOENT && !e->code ? 0 : r;
	d = fdopendir(place);
	if (!d) {
		close(place);
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "list the sessions");
	}
	while ((entry = dir_next(d, &r)))
		if (box_is_session(entry->d_name))
			strlist_add(&owners, entry->d_name);
	if (r < 0 || owners.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, r < 0 ? -r : ENOMEM, "list the sessions");
	for (size_t i = 0; r == 0 && i < owners.n; i++)
		r = settle_one(place, owners.items[i], &state, ret_n, e);
	return r;
}

int box_session_hold(const char *owner)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int fd = -1;

	if (!owner || !box_is_session(owner))
		return -1;
	if (box_session_begin(owner, &fd, &e) < 0)
		log_debug("%s",
			  e.text); /* then its boxes stay; and where nothing can be written it makes none */
	return fd;
}

void box_sessions_settle_aside(void)
{
	pid_t child = fork();

	if (child == 0) { /* whose own child has no parent that would have to wait for it */
		struct aisbx_error e = AISBX_ERROR_INIT;
		size_t n = 0;
		int null_fd;

		if (fork() != 0)
			_exit(0);
		/* Nothing of the server's, above all no locks of sessions and no pipe that somebody reads to
		 * its end. */
		null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		for (int fd = 0; fd < 3 && null_fd >= 0; fd++)
			dup2(null_fd, fd);
		syscall(SYS_close_range, 3U, ~0U, 0);
		box_sessions_settle(&n, &e); /* what cannot be done now the next does */
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}
