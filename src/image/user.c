/* SPDX-License-Identifier: Apache-2.0 */
/* Reads passwd and group of an image from its layers. */
#include "image/user.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "image/inside.h"
#include "sys/sys.h"

#define FILE_MAX (1u << 20)
/* Of ids that a box has. */
#define ID_COUNT 65536u
#define INSIDE   (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)

static bool is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == 0;
}

int image_file_read(const char *const *ups, size_t n_ups, const char *rel, size_t max, struct buf *ret)
{
	scoped(image_found_finish) struct image_found found = IMAGE_FOUND_INIT;
	scoped(drop_fd) int fd = -1;
	struct stat st;
	int r = image_find(ups, n_ups, rel, &found);

	if (r == 0 && S_ISREG(found.st.st_mode))
		fd = sys_openat2(found.dir, found.name,
				 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0, INSIDE);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -ENOENT;
	r = io_read_all(fd, max, ret);
	return r < 0 ? r : ret->len > max ? -EFBIG : 0;
}

bool image_has(const char *const *ups, size_t n_ups, const char *rel)
{
	for (size_t i = 0; i < n_ups; i++) {
		scoped(drop_fd) int dir = open(ups[i], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		scoped(drop_fd) int fd = -1;
		struct stat st;

		if (dir >= 0)
			fd = sys_openat2(dir, rel, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0, INSIDE);
		if (fd >= 0 && fstat(fd, &st) == 0)
			return !is_whiteout(&st);
	}
	return false;
}

/* Field I of a line of N bytes. */
static const char *field(const char *line, size_t n, unsigned int i, size_t *ret_len)
{
	const char *end = line + n, *colon;

	for (; i; i--) {
		colon = memchr(line, ':', (size_t)(end - line));
		if (!colon)
			return NULL;
		line = colon + 1;
	}
	colon = memchr(line, ':', (size_t)(end - line));
	*ret_len = (size_t)((colon ? colon : end) - line);
	return line;
}

static bool is_number(const char *text, size_t n, uint32_t *ret)
{
	uint64_t value = 0;

	if (!n || n > 10)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (uint64_t)(text[i] - '0');
	}
	*ret = (uint32_t)value;
	return value <= UINT32_MAX;
}

static bool is_field(const char *line, size_t n, unsigned int i, const char *word, size_t len)
{
	size_t have = 0;
	const char *f = field(line, n, i, &have);

	return f && have == len && !memcmp(f, word, len);
}

static bool number_field(const char *line, size_t n, unsigned int i, uint32_t *ret)
{
	size_t len = 0;
	const char *f = field(line, n, i, &len);

	return f && is_number(f, len, ret);
}

/* The next line of TEXT at *AT; its length without the newline. NULL: no more. */
static const char *next_line(const struct buf *text, size_t *at, size_t *ret_len)
{
	const char *line = text->data + *at, *end;

	if (*at >= text->len)
		return NULL;
	end = memchr(line, '\n', text->len - *at);
	*ret_len = end ? (size_t)(end - line) : text->len - *at;
	*at += *ret_len + (end != NULL);
	return line;
}

/* A line of passwd or group whose name, or with ID whose number, it is. */
static const char *find_line(const struct buf *text, const char *name, size_t len, const uint32_t *id,
			     size_t *ret_len)
{
	size_t at = 0, n;
	const char *line;
	uint32_t has;

	while ((line = next_line(text, &at, &n)))
		if (id ? number_field(line, n, 2, &has) && has == *id : is_field(line, n, 0, name, len)) {
			*ret_len = n;
			return line;
		}
	return NULL;
}

static int unknown(const char *what, const char *name, size_t len, const char *file, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOENT,
			    "the image wants to run as %s '%.*s', which is not in its %s", what,
			    (int)(len < 80 ? len : 80), name, file);
}

static int check_id(uint32_t id, struct aisbx_error *e)
{
	return id < ID_COUNT
		       ? 0
		       : aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, ERANGE,
				      "the image wants to run as id %u, and boxes have ids below %u only", id,
				      ID_COUNT);
}

/* USER of LEN bytes in PASSWD. RET_NAME: what the line calls it, which groups are listed by. */
static int find_user(const struct buf *passwd, const char *user, size_t len, struct image_user *ret,
		     const char **ret_name, size_t *ret_name_len, struct aisbx_error *e)
{
	uint32_t id = 0;
	bool number = is_number(user, len, &id);
	size_t n = 0, home_len = 0;
	const char *line = find_line(passwd, user, len, NULL, &n), *home;

	if (!line && number)
		line = find_line(passwd, NULL, 0, &id, &n);
	if (!line) {
		if (!number)
			return unknown("the user", user, len, "/etc/passwd", e);
		ret->uid = id;
		return check_id(id, e);
	}
	if (!number_field(line, n, 2, &ret->uid) || !number_field(line, n, 3, &ret->gid))
		return unknown("the user", user, len, "/etc/passwd", e);
	*ret_name = field(line, n, 0, ret_name_len);
	home = field(line, n, 5, &home_len);
	if (home && home_len && home_len < sizeof(ret->home) && *home == '/') {
		memcpy(ret->home, home, home_len);
		ret->home[home_len] = '\0';
	}
	return check_id(ret->uid, e);
}

static bool lists(const char *line, size_t n, const char *name, size_t len)
{
	size_t left = 0;
	const char *at = field(line, n, 3, &left);

	while (at && left) {
		const char *comma = memchr(at, ',', left);
		size_t one = comma ? (size_t)(comma - at) : left;

		if (one == len && !memcmp(at, name, len))
			return true;
		at += one + (comma != NULL);
		left -= one + (comma != NULL);
	}
	return false;
}

/* Those that name the user; as many as there is room for. */
static void find_groups(const struct buf *group, const char *name, size_t len, struct image_user *ret)
{
	size_t at = 0, n;
	const char *line;
	uint32_t gid;

	while (len && ret->n_groups < IMAGE_MAX_GROUPS && (line = next_line(group, &at, &n)))
		if (number_field(line, n, 2, &gid) && gid < ID_COUNT && gid != ret->gid &&
		    lists(line, n, name, len))
			ret->groups[ret->n_groups++] = gid;
}

static int find_group(const struct buf *group, const char *name, uint32_t *ret, struct aisbx_error *e)
{
	size_t n = 0;
	const char *line = find_line(group, name, strlen(name), NULL, &n);

	if (line && number_field(line, n, 2, ret))
		return 0;
	return is_number(name, strlen(name), ret) ? 0
						  : unknown("the group", name, strlen(name), "/etc/group", e);
}

int image_user_read(const struct buf *passwd, const struct buf *group, const char *user,
		    struct image_user *ret, struct aisbx_error *e)
{
	const char *colon = strchr(user, ':'), *name = NULL;
	size_t len = colon ? (size_t)(colon - user) : strlen(user), name_len = 0;
	int r;

	*ret = (struct image_user){ 0 };
	r = find_user(passwd, len ? user : "0", len ? len : 1, ret, &name, &name_len, e);
	if (r == 0 && colon && colon[1])
		r = find_group(group, colon + 1, &ret->gid, e);
	else if (r == 0 && name)
		find_groups(group, name, name_len, ret);
	return r == 0 ? check_id(ret->gid, e) : r;
}

int image_user_find(const char *const *ups, size_t n_ups, const char *user, struct image_user *ret,
		    struct aisbx_error *e)
{
	scoped(buf_finish) struct buf passwd = { 0 }, group = { 0 };

	if (image_file_read(ups, n_ups, "etc/passwd", FILE_MAX, &passwd) < 0)
		passwd.len = 0;
	if (image_file_read(ups, n_ups, "etc/group", FILE_MAX, &group) < 0)
		group.len = 0;
	return image_user_read(&passwd, &group, user, ret, e);
}
