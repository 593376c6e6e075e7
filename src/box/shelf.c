/* SPDX-License-Identifier: Apache-2.0 */
/* Where boxes are kept, their names and their locks. */
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

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"

char *box_state_dir(struct aisbx_error *e)
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
		aisbx_refuse(e, AISBX_AREA_BOX, ENOENT, "neither XDG_STATE_HOME nor HOME says where to keep boxes");
	else
		aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the state directory");
	return NULL;
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

int box_shelf_open(struct box_shelf *ret_shelf, struct aisbx_error *e)
{
	struct box_shelf s = { .dir = box_state_dir(e) };
	int r;

	if (!s.dir)
		return e->code;
	s.layers = path_join(s.dir, "layers");
	r = s.layers ? store_open(s.dir, &s.store, e) : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open the shelf");
	if (r < 0) {
		box_shelf_close(&s);
		return r;
	}
	*ret_shelf = s;
	return 0;
}

void box_shelf_close(struct box_shelf *s)
{
	store_close(s->store);
	free(s->layers);
	free(s->dir);
	*s = (struct box_shelf){ 0 };
}

int box_lock(const struct box_shelf *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *locks = path_join(s->dir, "locks");
	scoped(drop_mem) char *path = locks ? path_join(locks, b->id) : NULL;
	scoped(drop_fd) int fd = -1;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "lock box '%s'", b->name);
	if (mkdir(locks, 0700) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", locks);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "lock box '%s'", b->name);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return aisbx_fail(e, AISBX_AREA_BOX, errno, "lock box '%s'", b->name);
		return aisbx_refuse(e, AISBX_AREA_BOX, EBUSY,
				    "box '%s' is in use by a run; wait for it, or fork the box and use the fork", b->name);
	}
	*ret_fd = take_fd(&fd);
	return 0;
}

void box_drop_lock(const struct box_shelf *s, const struct store_box *b)
{
	scoped(drop_mem) char *locks = path_join(s->dir, "locks");
	scoped(drop_mem) char *path = locks ? path_join(locks, b->id) : NULL;

	if (path)
		unlink(path);
}

int box_check_name(const char *name, struct aisbx_error *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t n = strlen(name);

	if (n == 0 || n > STORE_NAME_MAX || strspn(name, letters) != n || name[0] == '-' || name[0] == '.')
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "'%.64s' is no name: letters, digits, '.', '_' and '-', not first a '-' or '.', at most %d",
				    name, STORE_NAME_MAX);
	return 0;
}

int box_parse_point(const char *text, char ret_box[STORE_NAME_MAX + 1], char ret_snapshot[STORE_NAME_MAX + 1],
		    struct aisbx_error *e)
{
	size_t n = strcspn(text, "@");
	int r;

	if (n > STORE_NAME_MAX || strlen(text + n) > STORE_NAME_MAX + 1)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "'%.64s...' is no BOX or BOX@SNAPSHOT", text);
	snprintf(ret_box, STORE_NAME_MAX + 1, "%.*s", (int)n, text);
	snprintf(ret_snapshot, STORE_NAME_MAX + 1, "%s", text[n] ? text + n + 1 : "");
	r = box_check_name(ret_box, e);
	return r == 0 && text[n] ? box_check_name(ret_snapshot, e) : r;
}
