/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue's directory: checking its owner, taking items, and storing results so that they survive a kill at
 * any moment.
 */
#include "guard/queue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"

#define MAX_RECORD (1u << 20)

void guard_queue_close(struct guard_queue *q)
{
	int *const fds[] = { &q->dir, &q->queue, &q->working, &q->done, &q->lock };

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		close_fd(fds[i]);
	free(q->path);
	q->path = NULL;
}

/* Nobody else can write there. */
static int check_own(int fd, const char *what, bool private, struct aisbx_error *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "inspect '%s'", what);
	if (st.st_uid != geteuid())
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				    "'%s' belongs to somebody else; nothing is run", what);
	if (st.st_mode & (private ? 077 : 022))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				    "others than you can %s '%s'; run chmod %s on it",
				    private ? "read or write" : "write", what, private ? "0600" : "go-w");
	return 0;
}

static int open_part(int dir, const char *name, int *ret, struct aisbx_error *e)
{
	if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "make '%s' in the queue's directory", name);
	*ret = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*ret < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "open '%s' in the queue's directory", name);
	return check_own(*ret, name, false, e);
}

int guard_queue_open(const char *path, struct guard_queue *ret, struct aisbx_error *e)
{
	int r;

	ret->path = realpath(path, NULL);
	ret->dir = ret->path ? open(ret->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (ret->dir < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "open the queue's directory '%s'", path);
	r = check_own(ret->dir, ret->path, false, e);
	if (r == 0)
		r = open_part(ret->dir, "queue", &ret->queue, e);
	if (r == 0)
		r = open_part(ret->dir, "working", &ret->working, e);
	if (r == 0)
		r = open_part(ret->dir, "done", &ret->done, e);
	if (r < 0)
		return r;
	ret->lock = openat(ret->dir, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (ret->lock < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "lock the queue's directory");
	if (flock(ret->lock, LOCK_EX | LOCK_NB) < 0)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_POLICY, EBUSY,
				    "another process works on the queue in '%s'", ret->path);
	return 0;
}

/* A file of one's own, with no other name. Heap or NULL. */
static char *read_own(int dir, const char *name, bool private, size_t most, size_t *ret_len,
		      struct aisbx_error *e)
{
	scoped(drop_fd) int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	scoped(drop_mem) char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0) {
		if (fd < 0 && errno == ELOOP)
			aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, ELOOP,
				     "'%s' is a symbolic link, and links are not followed", name);
		else
			aisbx_fail(e, AISBX_AREA_POLICY, errno, "open '%s'", name);
		return NULL;
	}
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			     "'%s' is not a regular file, or has several hard links", name);
		return NULL;
	}
	if (check_own(fd, name, private, e) < 0)
		return NULL;
	text = malloc(most + 1);
	n = text ? read(fd, text, most + 1) : -1;
	if (n < 0 || (size_t)n > most) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EFBIG,
			     "'%s' cannot be read, or is larger than %zu bytes", name, most);
		return NULL;
	}
	text[n] = '\0';
	*ret_len = (size_t)n;
	return take_mem(&text);
}

int guard_queue_authority(const struct guard_queue *q, struct authority *ret, struct aisbx_error *e)
{
	size_t len = 0;
	scoped(drop_mem) char *text =
		read_own(q->dir, "authority.yaml", true, QUEUED_TASK_MAX_BYTES, &len, e);

	if (!text) {
		aisbx_context(e, "nothing is run without an authority");
		return e->code;
	}
	return authority_parse(text, len, "authority.yaml", ret, e);
}

/* "name.yaml", of letters that a path and a terminal take for nothing else. */
static bool is_task(const char *name)
{
	const char *end = strrchr(name, '.');

	return end && end != name && name[0] != '.' && name[0] != '-' && strlen(name) < 200 &&
	       str_is_one_of(end, ".yaml|.yml|.json") &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")];
}

/* Calls SEE with each name of DIR until it says false. */
static void each_name(int dir, bool (*see)(void *ctx, const char *name), void *ctx)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_dir) DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!d && fd >= 0)
		close(fd);
	while (d && (entry = readdir(d)) != NULL)
		if (entry->d_name[0] != '.' && !see(ctx, entry->d_name))
			return;
}

static bool keep_first(void *ctx, const char *name)
{
	char **first = ctx;

	if (is_task(name) && (!*first || strcmp(name, *first) < 0)) {
		free(*first);
		*first = strdup(name);
	}
	return true;
}

char *guard_queue_next(const struct guard_queue *q)
{
	char *first = NULL;

	each_name(q->queue, keep_first, &first);
	return first;
}

int guard_queue_read(const struct guard_queue *q, int dir, const char *name, struct queued_task *ret,
		     struct aisbx_error *e)
{
	size_t len = 0;
	scoped(drop_mem) char *text = read_own(dir, name, false, QUEUED_TASK_MAX_BYTES, &len, e);

	(void)q;
	return text ? queued_task_parse(text, len, name, ret, e) : e->code;
}

static bool is_done(const struct guard_queue *q, const char *name, const char *mark)
{
	char file[NAME_MAX + 1];
	struct stat st;

	snprintf(file, sizeof(file), "%.200s%s.json", name, mark);
	return fstatat(q->done, file, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A rename that replaces nothing, also where the file system knows no such rename: there is one worker. */
static int move(int from, const char *name, int to, const char *new_name)
{
	if (renameat2(from, name, to, new_name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL)
		return -1;
	if (faccessat(to, new_name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return renameat(from, name, to, new_name);
}

/* NAME, or if that was used before with a number before its ending: "010-2.yaml". */
static void name_anew(const struct guard_queue *q, const char *name, char ret[static NAME_MAX + 1])
{
	const char *end = strrchr(name, '.');

	snprintf(ret, NAME_MAX + 1, "%.200s", name);
	for (unsigned int n = 2;
	     is_done(q, ret, "") || faccessat(q->working, ret, F_OK, AT_SYMLINK_NOFOLLOW) == 0; n++)
		snprintf(ret, NAME_MAX + 1, "%.*s-%u%s", (int)(end - name > 180 ? 180 : end - name), name, n,
			 end);
}

int guard_queue_begin(const struct guard_queue *q, const char *name, char **ret_name, struct aisbx_error *e)
{
	char called[NAME_MAX + 1];

	name_anew(q, name, called);
	if (move(q->queue, name, q->working, called) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "take '%s' from the queue", name);
	if (fsync(q->working) < 0 || fsync(q->queue) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "take '%s' from the queue", name);
	*ret_name = strdup(called);
	return *ret_name ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "take '%s' from the queue", name);
}

int guard_queue_write(int dir, const char *name, bool anew, const char *text, size_t len,
		      struct aisbx_error *e)
{
	char tmp[NAME_MAX + 1];
	scoped(drop_fd) int fd = -1;
	ssize_t n = 0;

	snprintf(tmp, sizeof(tmp), ".%.230s.new", name);
	unlinkat(dir, tmp, 0);
	fd = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	for (size_t at = 0; fd >= 0 && n >= 0 && at<len; at += n> 0 ? (size_t)n : 0)
		n = write(fd, text + at, len - at);
	if (fd < 0 || n < 0 || fsync(fd) < 0 ||
	    (anew ? renameat(dir, tmp, dir, name) : move(dir, tmp, dir, name)) < 0 || fsync(dir) < 0) {
		aisbx_fail(e, AISBX_AREA_POLICY, errno, "write '%s'", name);
		unlinkat(dir, tmp, 0);
		return e->code;
	}
	return 0;
}

/* A record as it is written; heap or NULL. One that is too long to be read again would count for nothing: of
 * that only what counts. */
static char *record_text(const json_t *record)
{
	static const char *const kept[] = { "name",     "began_ms", "status", "why",         "where",
					    "act",      "wall_ms",  "cpu_ms", "exit_status", "box",
					    "promoted", "undo",     "again" };
	char *text = json_dumps(record, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	json_t *brief;

	if (!text || strlen(text) <= MAX_RECORD)
		return text;
	free(text);
	brief = json_object();
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (json_object_get(record, kept[i]))
			json_object_set(brief, kept[i], json_object_get(record, kept[i]));
	json_object_set_new(brief, "cut", json_true());
	text = json_dumps(brief, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	json_decref(brief);
	return text;
}

int guard_queue_end(const struct guard_queue *q, int dir, const char *name, const json_t *record,
		    struct aisbx_error *e)
{
	scoped(drop_mem) char *text = record_text(record);
	char file[NAME_MAX + 1];
	int r;

	if (!text)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "write the result of '%s'", name);
	snprintf(file, sizeof(file), "%.200s.json", name);
	r = guard_queue_write(q->done, file, false, text, strlen(text), e);
	if (r == 0 && unlinkat(dir, name, 0) < 0 && errno != ENOENT)
		r = aisbx_fail(e, AISBX_AREA_POLICY, errno, "remove '%s'", name);
	return r;
}

static int recover_one(const struct guard_queue *q, const char *name, struct aisbx_error *e)
{
	scoped(queued_task_finish) struct queued_task a = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	char marked[NAME_MAX + 1];
	json_t *record;
	bool again;
	int r;

	if (is_done(q, name, "")) /* killed between the record and the last step */
		return unlinkat(q->working, name, 0) < 0
			       ? aisbx_fail(e, AISBX_AREA_POLICY, errno, "remove '%s'", name)
			       : 0;
	again = guard_queue_read(q, q->working, name, &a, &ignored) == 0 && a.again &&
		!is_done(q, name, ".interrupted");
	record = json_pack("{s:s, s:s, s:s, s:b}", "name", name, "status", "interrupted", "why",
			   "aisbx ended while it was in progress", "again", again);
	snprintf(marked, sizeof(marked), "%.180s%s", name, again ? ".interrupted" : "");
	/* Of one that is queued again the record comes first: a kill in between costs it its second try, not
	 * a third. */
	r = again ? guard_queue_end(q, q->dir, marked, record, e)
		  : guard_queue_end(q, q->working, name, record, e);
	json_decref(record);
	if (r == 0 && again && renameat(q->working, name, q->queue, name) < 0)
		r = aisbx_fail(e, AISBX_AREA_POLICY, errno, "queue '%s' again", name);
	return r;
}

int guard_queue_recover(const struct guard_queue *q, size_t *ret_n, struct aisbx_error *e)
{
	int r = 0;

	for (*ret_n = 0; r == 0; ++*ret_n) {
		scoped(drop_mem) char *name = NULL;

		each_name(q->working, keep_first, &name);
		if (!name)
			return 0;
		r = recover_one(q, name, e);
	}
	return r;
}

struct collecting {
	const struct guard_queue *q;
	json_t *list;
	bool whole;
};

static bool collect(void *ctx, const char *name)
{
	struct collecting *c = ctx;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	size_t len = 0, n = strlen(name);
	bool is_record = n > 5 && !strcmp(name + n - 5, ".json");
	scoped(drop_mem) char *text =
		is_record ? read_own(c->q->done, name, false, MAX_RECORD * 4, &len, &ignored) : NULL;
	json_t *record = text ? json_loadb(text, len, 0, NULL) : NULL;

	if (!is_record)
		return true;
	if (json_is_object(record))
		json_array_append(c->list, record);
	else
		c->whole = false;
	json_decref(record);
	return true;
}

static int by_time(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	json_int_t s = json_integer_value(json_object_get(x, "began_ms")),
		   t = json_integer_value(json_object_get(y, "began_ms"));

	return s < t ? -1 : s > t;
}

json_t *guard_queue_records(const struct guard_queue *q, bool *ret_whole)
{
	struct collecting c = { q, json_array(), true };
	size_t n;
	json_t **sorted, *list = json_array();

	each_name(q->done, collect, &c);
	n = json_array_size(c.list);
	sorted = calloc(n + 1, sizeof(*sorted));
	for (size_t i = 0; sorted && i < n; i++)
		sorted[i] = json_array_get(c.list, i);
	if (sorted)
		qsort(sorted, n, sizeof(*sorted), by_time);
	for (size_t i = 0; sorted && i < n; i++)
		json_array_append(list, sorted[i]);
	if (ret_whole)
		*ret_whole = c.whole && sorted;
	free(sorted);
	json_decref(c.list);
	return list;
}
