/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks that this machine has already. Nothing is believed: each is hashed before it counts. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/scope.h"
#include "fleet/content/wanted.h"

static bool read_chunk(int fd, uint64_t at, const struct content_ref *ref, const struct content_key *k,
		       uint8_t *room)
{
	uint8_t id[CONTENT_ID];

	if (pread(fd, room, ref->len, (off_t)at) != (ssize_t)ref->len)
		return false;
	content_name(k->chunk, room, ref->len, id);
	return !memcmp(id, ref->id, CONTENT_ID);
}

uint64_t content_wanted_resume(struct content_wanted *w, const struct content_key *k)
{
	scoped(drop_mem) uint8_t *room = malloc(CONTENT_CHUNK_MOST);
	uint64_t bytes = 0;

	for (size_t i = 0; room && i < w->n; i++) {
		struct content_want *want = &w->wants[i];
		bool found = false;

		for (size_t u = want->first; u < want->first + want->n; u++) {
			struct content_use *use = &w->uses[u];
			scoped(drop_fd) int fd =
				content_target_file(w->target, w->tree->entries[use->entry].path);

			/* What is not yet written is a hole, of which nothing needs to be read. */
			if (fd < 0 || lseek(fd, (off_t)use->at, SEEK_DATA) != (off_t)use->at)
				continue;
			use->is_there = read_chunk(fd, use->at, &use->ref, k, room);
			found |= use->is_there;
			bytes += use->is_there ? use->ref.len : 0;
			if (use->is_there && content_want_write(w, want, room) < 0)
				want->is_there = false;
			if (found)
				break;
		}
	}
	return bytes;
}

/* Those of one file. Returns the bytes. */
static uint64_t borrow_file(struct content_wanted *w, const struct content_key *k, int dir,
			    const struct content_seen *seen, uint8_t *room)
{
	struct content_stamp now;
	scoped(drop_fd) int fd = -1;
	uint64_t at = 0, bytes = 0;
	struct stat st;

	for (uint32_t i = 0; i < seen->n_refs; i++) {
		struct content_ref ref = content_seen_ref(seen, i);
		struct content_want *want = content_ref_is_hole(&ref) ? NULL : content_wanted_find(w, &ref);

		if (want && !want->is_there) {
			if (fd < 0) {
				fd = content_open_below(dir, seen->path, O_RDONLY | O_NONBLOCK);
				if (fd < 0 || fstat(fd, &st) < 0)
					return bytes;
				content_stamp_of(&st, &now);
				if (!content_stamp_is_same(&now, &seen->stamp))
					return bytes;
			}
			if (ref.len <= CONTENT_CHUNK_MOST && read_chunk(fd, at, &ref, k, room) &&
			    content_want_write(w, want, room) == 0)
				bytes += ref.len;
		}
		at += ref.len;
	}
	return bytes;
}

static uint64_t borrow_dir(struct content_wanted *w, const struct content_key *k,
			   const struct content_files *f, uint8_t *room)
{
	scoped(drop_fd) int dir = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t bytes = 0;

	for (size_t i = 0; dir >= 0 && i < f->n; i++)
		bytes += borrow_file(w, k, dir, &f->items[i], room);
	return bytes;
}

uint64_t content_wanted_borrow(struct content_wanted *w, const struct content_key *k,
			       const struct content_cache *c)
{
	scoped(drop_mem) uint8_t *room = malloc(CONTENT_CHUNK_MOST);
	int r = 0, fd = content_cache_dir(c, "files");
	scoped(drop_dir) DIR *d = dir_take(fd, &r);
	struct dirent *entry;
	uint64_t bytes = 0;
	size_t left;

	while (room && d && content_wanted_left(w, &left) && (entry = dir_next(d, &r))) {
		scoped(content_files_finish) struct content_files f = { 0 };
		struct stat st;

		if (entry->d_name[0] == '.' || content_files_open(fd, entry->d_name, &f) < 0)
			continue;
		if (stat(f.dir, &st) < 0 && errno == ENOENT)
			unlinkat(fd, entry->d_name, 0); /* its directory is no more */
		else
			bytes += borrow_dir(w, k, &f, room);
	}
	return bytes;
}
