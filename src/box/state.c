/* SPDX-License-Identifier: Apache-2.0 */
/* The state directory, names and locks of boxes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/box.h"
#include "box/last_init.h"
#include "secret/fingerprints.h"
#include "box/owner.h"

char *box_state_path(struct aisbx_error *e)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *dir = NULL;
	int n = -1;

	if (state && state[0] == '/')
		n = asprintf(&dir, "%s/aisbx", state);
	else if (home && home[0] == '/')
		n = asprintf(&dir, "%s/.local/state/aisbx", home);
	else
		errno = 0;
	if (n >= 0)
		return dir;
	if (errno == 0)
		aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
			     home && *home ? "HOME is '%.100s', which is no absolute path, and "
					     "XDG_STATE_HOME is not set, so "
					     "there is no place to store boxes; set one of them to a "
					     "directory of your own"
					   : "neither XDG_STATE_HOME nor HOME is set, so there is no place "
					     "to store boxes; "
					     "set one of them to a directory of your own%s",
			     home && *home ? home : "");
	else
		aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the state directory");
	return NULL;
}

char *box_state_dir(struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = box_state_path(e);

	return dir && store_check_dir(dir, e) == 0 ? take_mem(&dir) : NULL;
}

void box_new_id(const char *prefix, char ret_id[STORE_ID_MAX])
{
	unsigned char bytes[8];
	size_t at = (size_t)snprintf(ret_id, STORE_ID_MAX, "%s", prefix);

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		abort(); /* cannot fail for 8 bytes since Linux 3.17; an id that repeats would mix up boxes */
	for (size_t i = 0; i < sizeof(bytes); i++)
		at += (size_t)snprintf(ret_id + at, STORE_ID_MAX - at, "%02x", bytes[i]);
}

int64_t box_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What is known of secrets, read when the first text is to be kept: most processes keep none. */
struct keeper {
	const char *dir; /* the state directory's */
	bool looked;
	struct fingerprints *fingerprints; /* owned; NULL: none */
	struct fingerprint_scan *scan;
};

static bool keep_text(void *ctx, const char *text, size_t len, struct buf *out)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct keeper *k = ctx;

	if (!k->looked) {
		if (fingerprints_load(k->dir, &k->fingerprints, &ignored) < 0)
			return false;
		k->scan = k->fingerprints ? fingerprint_scan_create(k->fingerprints) : NULL;
		if (k->fingerprints && !k->scan)
			return false;
		k->looked = true;
	}
	if (k->scan)
		return fingerprints_scrub(k->scan, text, len, out);
	buf_add(out, text, len);
	return !out->failed;
}

static void keeper_free(struct keeper *k)
{
	if (!k)
		return;
	fingerprint_scan_free(k->scan);
	fingerprints_free(k->fingerprints);
	free(k);
}

struct box_attendant *box_attendants;

void box_attend(struct box_attendant *a)
{
	a->next = box_attendants;
	box_attendants = a;
}

int box_state_open(struct box_state *ret_state, struct aisbx_error *e)
{
	struct box_state s = { .dir = box_state_dir(e) };
	int r;

	if (!s.dir)
		return e->code;
	s.layers = path_join(s.dir, "layers");
	r = s.layers ? store_open(s.dir, &s.store, e)
		     : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open the state directory");
	if (r == 0 && !(s.keeper = calloc(1, sizeof(*s.keeper))))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open the state directory");
	if (r < 0) {
		box_state_close(&s);
		return r;
	}
	s.keeper->dir = s.dir;
	store_scrub_by(s.store, keep_text, s.keeper);
	for (const struct box_attendant *a = box_attendants; a; a = a->next)
		if (a->opened)
			a->opened(&s);
	*ret_state = s;
	return 0;
}

void box_state_close(struct box_state *s)
{
	store_close(s->store);
	keeper_free(s->keeper);
	free(s->layers);
	free(s->dir);
	*s = (struct box_state){ 0 };
}

int box_try_lock(const struct box_state *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *locks = path_join(s->dir, "locks");
	scoped(drop_mem) char *path = locks ? path_join(locks, b->id) : NULL;
	scoped(drop_fd) int fd = -1;
	int r;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "lock box '%s'", b->name);
	r = store_check_writable(s->store, e); /* who changes the box could not say so */
	if (r < 0)
		return r;
	if (mkdir(locks, 0700) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", locks);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "lock box '%s'", b->name);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY
					    : aisbx_fail(e, AISBX_AREA_BOX, errno, "lock box '%s'", b->name);
	r = box_last_init_await(s, b, e);
	if (r == 0)
		*ret_fd = take_fd(&fd);
	return r;
}

/* The time of its lock, which nobody writes. */
void box_touch(const struct box_state *s, const struct store_box *b)
{
	scoped(drop_mem) char *path = NULL;

	if (asprintf(&path, "%s/locks/%s", s->dir, b->id) > 0)
		utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

int64_t box_touched(const struct box_state *s, const struct store_box *b)
{
	scoped(drop_mem) char *path = NULL;
	struct stat st;

	if (asprintf(&path, "%s/locks/%s", s->dir, b->id) < 0 || lstat(path, &st) < 0)
		return 0;
	return st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec;
}

/* A run may take hours; whatever else holds a lock is done in a moment. */
int box_lock(const struct box_state *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t until = time_ms() + BOX_LOCK_MS;
	int r;

	while ((r = box_try_lock(s, b, ret_fd, e)) == -EBUSY && !e->code) {
		scoped(drop_fd) int live = -1;

		if (time_ms() >= until || box_live_connect(s, b, &live, e) == 0)
			return aisbx_refuse(
				e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
				"box '%s' is in use by a run; wait for it, or fork the box and use the fork",
				b->name);
		nanosleep(&pause, NULL);
	}
	return r;
}

void box_drop_lock(const struct box_state *s, const struct store_box *b)
{
	scoped(drop_mem) char *lock = NULL;
	scoped(drop_mem) char *live = NULL;

	if (asprintf(&lock, "%s/locks/%s", s->dir, b->id) > 0)
		unlink(lock);
	if (asprintf(&live, "%s/live/%s", s->dir, b->id) > 0)
		unlink(live);
	box_last_init_drop(s, b);
}

void box_drop_stray_locks(struct box_state *s)
{
	scoped(drop_mem) char *locks = path_join(s->dir, "locks");
	scoped(drop_dir) DIR *d = locks ? opendir(locks) : NULL;
	struct dirent *entry;
	int r = 0;

	while (d && r == 0 && (entry = dir_next(d, &r))) {
		scoped(store_box_finish) struct store_box b = { 0 };
		struct aisbx_error ignored = AISBX_ERROR_INIT;

		if (store_box_find(s->store, entry->d_name, &b, &ignored) == -ENOENT)
			unlinkat(dirfd(d), entry->d_name, 0);
	}
}

int box_check_name(const char *name, struct aisbx_error *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t n = strlen(name);

	if (n == 0 || n > STORE_NAME_MAX || strspn(name, letters) != n || name[0] == '-' || name[0] == '.')
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.64s' is not a valid name: use letters, digits, '.', '_' and '-', not "
				    "beginning with '-' or '.', at most %d",
				    name, STORE_NAME_MAX);
	return 0;
}

/* NAME, or OWNER/NAME, where OWNER may be empty: the person. */
static int check_key(const char *key, struct aisbx_error *e)
{
	const char *slash = strchr(key, '/');
	char owner[STORE_NAME_MAX + 1];

	if (!slash)
		return box_check_name(key, e);
	snprintf(owner, sizeof(owner), "%.*s", (int)(slash - key), key);
	if (slash - key > STORE_NAME_MAX || (owner[0] && !box_is_owner(owner)))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.64s' is not OWNER/NAME of a box, as listed by 'aisbx ls'", key);
	return box_check_name(slash + 1, e);
}

int box_parse_point(const char *text, char ret_box[BOX_KEY_MAX + 1], char ret_snapshot[STORE_NAME_MAX + 1],
		    struct aisbx_error *e)
{
	size_t n = strcspn(text, "@");
	int r;

	if (n > BOX_KEY_MAX || strlen(text + n) > STORE_NAME_MAX + 1)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.64s...' is not BOX or BOX@SNAPSHOT", text);
	snprintf(ret_box, BOX_KEY_MAX + 1, "%.*s", (int)n, text);
	snprintf(ret_snapshot, STORE_NAME_MAX + 1, "%s", text[n] ? text + n + 1 : "");
	r = check_key(ret_box, e);
	return r == 0 && text[n] ? box_check_name(ret_snapshot, e) : r;
}
