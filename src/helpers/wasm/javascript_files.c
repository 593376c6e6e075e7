/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files for JavaScript: its VM has no calls of WASI for them. All paths are below the tree of the program,
 * whatever links say; failures are negative error numbers.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/str.h"
#include "helpers/wasm/javascript.h"
#include "helpers/wasm/tree.h"

#define FILE_MOST (1u << 30)

static int open_below(const struct javascript *js, const char *path, int flags, mode_t mode)
{
	return tree_open(js->root, path, flags | O_NOCTTY | O_NONBLOCK, mode);
}

/* The directory that PATH is in, and its last name. */
static int open_parent(const struct javascript *js, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	scoped(drop_mem) char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : NULL;

	if (!slash)
		return -EINVAL;
	if (!parent)
		return -ENOMEM;
	*ret_name = slash + 1;
	if (!**ret_name || !strcmp(*ret_name, ".") || !strcmp(*ret_name, ".."))
		return -EINVAL;
	return tree_open(js->root, parent, O_PATH | O_DIRECTORY, 0);
}

static int result_of(int r)
{
	return r < 0 ? -errno : 0;
}

static int do_read(const struct javascript *js, const struct javascript_arg *a, struct javascript_answer *ret)
{
	scoped(drop_fd) int fd = open_below(js, a[0].text, O_RDONLY, 0);
	struct stat st;
	int r = fd < 0 ? fd : result_of(fstat(fd, &st));

	if (r == 0 && S_ISDIR(st.st_mode))
		r = -EISDIR;
	if (r == 0)
		r = io_read_all(fd, FILE_MOST, &ret->data);
	ret->kind = ANSWER_BYTES;
	return r == 0 && ret->data.len > FILE_MOST ? -EFBIG : r;
}

static int do_write(const struct javascript *js, const struct javascript_arg *a,
		    struct javascript_answer *ret)
{
	const char *how = a[2].text ? a[2].text : "w";
	int flags = O_WRONLY | (how[0] == 'r'   ? 0 /* what is there already, and stays behind the end */
				: how[0] == 'a' ? O_CREAT | O_APPEND
				: how[1] == 'x' ? O_CREAT | O_EXCL
						: O_CREAT | O_TRUNC);
	scoped(drop_fd) int fd = open_below(js, a[0].text, flags, 0666);

	(void)ret;
	if (fd < 0)
		return fd;
	return a[1].text ? io_write_all(fd, a[1].text, a[1].len) : -EINVAL;
}

static const char *type_of(mode_t mode)
{
	return S_ISREG(mode) ? "file" : S_ISDIR(mode) ? "dir" : S_ISLNK(mode) ? "link" : "other";
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* As a text of JSON. */
static void add_json(struct buf *b, const char *text)
{
	buf_add(b, "\"", 1);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_addf(b, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			buf_addf(b, "\\u%04x", *text);
		else
			buf_add(b, text, 1);
	}
	buf_add(b, "\"", 1);
}

static int do_list(const struct javascript *js, const struct javascript_arg *a, struct javascript_answer *ret)
{
	int fd = open_below(js, a[0].text, O_RDONLY | O_DIRECTORY, 0);
	scoped(drop_dir) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	scoped(strlist_finish) struct strlist names = { 0 };

	if (!dir)
		return fd < 0 ? fd : -errno;
	for (const struct dirent *d; (d = readdir(dir));)
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			strlist_add(&names, d->d_name);
	if (names.n)
		qsort(names.items, names.n, sizeof(*names.items), by_name);
	buf_add(&ret->data, "[", 1);
	for (size_t i = 0; i < names.n; i++) {
		struct stat st;

		if (fstatat(fd, names.items[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
			st.st_mode = 0;
		buf_addf(&ret->data, "%s[", i ? "," : "");
		add_json(&ret->data, names.items[i]);
		buf_addf(&ret->data, ",\"%s\"]", type_of(st.st_mode));
	}
	buf_add(&ret->data, "]", 1);
	ret->kind = ANSWER_TEXT;
	return names.failed ? -ENOMEM : 0;
}

static int do_stat(const struct javascript *js, const struct javascript_arg *a, struct javascript_answer *ret)
{
	scoped(drop_fd) int fd =
		tree_open(js->root, a[0].text, O_PATH | (a[1].number != 0 ? 0 : O_NOFOLLOW), 0);
	struct stat st;
	int r = fd < 0 ? fd : result_of(fstat(fd, &st));

	if (r < 0)
		return r;
	buf_addf(&ret->data,
		 "{\"type\":\"%s\",\"size\":%lld,\"mode\":%u,\"mtime_ms\":%.3f,\"ino\":%llu,\"nlink\":%llu}",
		 type_of(st.st_mode), (long long)st.st_size, st.st_mode,
		 (double)st.st_mtim.tv_sec * 1e3 + (double)st.st_mtim.tv_nsec / 1e6,
		 (unsigned long long)st.st_ino, (unsigned long long)st.st_nlink);
	ret->kind = ANSWER_TEXT;
	return 0;
}

static int do_mkdir(const struct javascript *js, const struct javascript_arg *a,
		    struct javascript_answer *ret)
{
	const char *name = NULL;
	scoped(drop_fd) int at = open_parent(js, a[0].text, &name);

	(void)ret;
	return at < 0 ? at : result_of(mkdirat(at, name, 0777));
}

static int remove_it(const struct javascript *js, const char *path, int flags)
{
	const char *name = NULL;
	scoped(drop_fd) int at = open_parent(js, path, &name);

	return at < 0 ? at : result_of(unlinkat(at, name, flags));
}

static int do_rmdir(const struct javascript *js, const struct javascript_arg *a,
		    struct javascript_answer *ret)
{
	(void)ret;
	return remove_it(js, a[0].text, AT_REMOVEDIR);
}

static int do_unlink(const struct javascript *js, const struct javascript_arg *a,
		     struct javascript_answer *ret)
{
	(void)ret;
	return remove_it(js, a[0].text, 0);
}

static int do_rename(const struct javascript *js, const struct javascript_arg *a,
		     struct javascript_answer *ret)
{
	const char *from = NULL, *to = NULL;
	scoped(drop_fd) int at = open_parent(js, a[0].text, &from);
	scoped(drop_fd) int into = a[1].text ? open_parent(js, a[1].text, &to) : -EINVAL;

	(void)ret;
	return at < 0 ? at : into < 0 ? into : result_of(renameat(at, from, into, to));
}

static int do_readlink(const struct javascript *js, const struct javascript_arg *a,
		       struct javascript_answer *ret)
{
	const char *name = NULL;
	scoped(drop_fd) int at = open_parent(js, a[0].text, &name);
	char text[4096];
	ssize_t n = at < 0 ? -1 : readlinkat(at, name, text, sizeof(text));

	if (n < 0)
		return at < 0 ? at : -errno;
	buf_add(&ret->data, text, (size_t)n);
	ret->kind = ANSWER_TEXT;
	return 0;
}

static int do_truncate(const struct javascript *js, const struct javascript_arg *a,
		       struct javascript_answer *ret)
{
	scoped(drop_fd) int fd = open_below(js, a[0].text, O_WRONLY, 0);

	(void)ret;
	return fd < 0 ? fd : result_of(ftruncate(fd, (off_t)a[1].number));
}

static const struct {
	const char *name;
	int (*run)(const struct javascript *js, const struct javascript_arg *args,
		   struct javascript_answer *ret);
} acts[] = {
	{ "read", do_read },         { "write", do_write },   { "list", do_list },
	{ "stat", do_stat },         { "mkdir", do_mkdir },   { "rmdir", do_rmdir },
	{ "unlink", do_unlink },     { "rename", do_rename }, { "readlink", do_readlink },
	{ "truncate", do_truncate },
};

static bool is_text(const struct javascript_arg *a)
{
	return a->text && strlen(a->text) == a->len;
}

bool javascript_file(const struct javascript *js, const char *name, const struct javascript_arg *args,
		     struct javascript_answer *ret)
{
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++) {
		int r;

		if (strcmp(acts[i].name, name) != 0)
			continue;
		/* A NUL in a path would be its end. */
		r = js->root < 0 || !args[0].text ? -ENOENT
		    : !is_text(&args[0]) || (acts[i].run == do_rename && !is_text(&args[1]))
			    ? -EINVAL
			    : acts[i].run(js, args, ret);
		if (r < 0 || ret->kind == ANSWER_NOTHING) {
			ret->kind = ANSWER_NUMBER;
			ret->number = r;
		}
		return true;
	}
	return false;
}
