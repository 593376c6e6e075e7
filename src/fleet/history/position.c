/* SPDX-License-Identifier: Apache-2.0 */
/* The file that says how far a node has sent its history. */
#include "fleet/history/position.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/scope.h"

#define LONGEST 65536

int history_position_begin(const struct history_mark *at, struct history_position *ret, struct aisbx_error *e)
{
	struct history_position p = { .sequence = 0 };
	uint8_t chance[HISTORY_DIGEST / 2];

	if (getrandom(chance, sizeof(chance), 0) != (ssize_t)sizeof(chance))
		return aisbx_fail(e, AISBX_AREA_STORE, errno, "begin to send the history");
	io_hex(chance, sizeof(chance), p.incarnation);
	if (at)
		memcpy(p.at, at, sizeof(p.at));
	*ret = p;
	return 0;
}

static bool read_position(const json_t *json, struct history_position *ret)
{
	const char *incarnation = json_string_value(json_object_get(json, "incarnation"));
	const json_int_t sequence = json_integer_value(json_object_get(json, "sequence"));
	const json_int_t made = json_integer_value(json_object_get(json, "stream_ns"));
	const json_int_t stored = json_integer_value(json_object_get(json, "stream_sequence"));

	if (json_integer_value(json_object_get(json, "v")) != HISTORY_VERSION || !incarnation ||
	    !history_is_digest(incarnation) || sequence < 0 || stored < 0 ||
	    !history_marks_read(json_object_get(json, "at"), ret->at))
		return false;
	memcpy(ret->incarnation, incarnation, HISTORY_DIGEST);
	ret->sequence = (uint64_t)sequence;
	ret->stream_ns = made;
	ret->stream_sequence = (uint64_t)stored;
	return true;
}

int history_position_load(const char *path, struct history_position *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_json) json_t *json = NULL;
	struct history_position p = { .sequence = 0 };
	int r;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	r = io_read_all(fd, LONGEST, &text);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, -r, "read '%s'", path);
	json = json_loadb(text.data, text.len, 0, NULL);
	if (!read_position(json, &p)) {
		/* It is found again from the stream, or everything is sent again, which the centre notices.
		 */
		log_debug("'%s' says nothing that can be read", path);
		return -ENOENT;
	}
	*ret = p;
	return 0;
}

static int write_file(const char *path, const char *text)
{
	scoped(drop_fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r = fd < 0 ? -errno : io_write_all(fd, text, strlen(text));

	return r == 0 && fsync(fd) < 0 ? -errno : r;
}

static int sync_dir(const char *dir)
{
	scoped(drop_fd) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

/* TEXT replaces PATH in one step. */
static int replace(const char *path, const char *text)
{
	scoped(drop_mem) char *dir = strdup(path);
	scoped(drop_mem) char *draft = NULL;
	char *slash = dir ? strrchr(dir, '/') : NULL;
	int r;

	if (asprintf(&draft, "%s.new", path) < 0) {
		draft = NULL;
		return -ENOMEM;
	}
	if (!slash)
		return -EINVAL;
	*slash = '\0';
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	r = write_file(draft, text);
	if (r == 0 && rename(draft, path) < 0)
		r = -errno;
	return r < 0 ? r : sync_dir(dir);
}

int history_position_save(const char *path, const struct history_position *p, struct aisbx_error *e)
{
	scoped(drop_json) json_t *json =
		json_pack("{s:i, s:s, s:I, s:o, s:I, s:I}", "v", HISTORY_VERSION, "incarnation",
			  p->incarnation, "sequence", (json_int_t)p->sequence, "at",
			  history_marks_json(p->at), "stream_ns", (json_int_t)p->stream_ns, "stream_sequence",
			  (json_int_t)p->stream_sequence);
	scoped(drop_mem) char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
	int r = text ? replace(path, text) : -ENOMEM;

	return r < 0 ? aisbx_fail(e, AISBX_AREA_STORE, -r, "write '%s', how far the history was sent", path)
		     : 0;
}
