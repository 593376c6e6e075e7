/* SPDX-License-Identifier: Apache-2.0 */
/* Access: the token file, made, read and compared. */
#include "server/http/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "server/http/http.h"

#define TOKEN_BYTES 32
#define TOKEN_TEXT  ((TOKEN_BYTES * 8 + 5) / 6 + 1)
/* Shorter ones are guessed. */
#define TOKEN_LEAST 20
#define FILE_MOST   65536

static void drop_list(struct token *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(items[i].text);
	free(items);
}

static void drop_tokens(struct tokens *t)
{
	drop_list(t->items, t->n);
	t->items = NULL;
	t->n = 0;
}

void tokens_finish(struct tokens *t)
{
	drop_tokens(t);
	free(t->path);
	t->path = NULL;
}

/* The third word, "10/s", if there is one; nothing may follow it. */
static bool read_rate(const char *rest, struct rate *ret)
{
	const size_t gap = strspn(rest, " \t\r"), len = strcspn(rest + gap, " \t\r");
	char text[32];

	if (!len)
		return true;
	if (len >= sizeof(text) || rest[gap + len + strspn(rest + gap + len, " \t\r")])
		return false;
	memcpy(text, rest + gap, len);
	text[len] = '\0';
	return rate_read(text, ret);
}

/* "NAME TOKEN [RATE]"; empty lines and those that begin with # are skipped. */
static int add_line(struct tokens *t, const char *line, unsigned int number, struct aisbx_error *e)
{
	size_t n = strcspn(line, " \t"), gap = strspn(line + n, " \t"),
	       len = strcspn(line + n + gap, " \t\r");
	struct rate rate = { 0 };
	struct token *grown;

	if (!line[strspn(line, " \t\r")] || line[0] == '#')
		return 0;
	if (!n || n >= TOKEN_NAME_MAX || len < TOKEN_LEAST || !read_rate(line + n + gap + len, &rate))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"%s:%u: a line must have a name of less than %d bytes and a token of %d or more, and "
			"may have a rate such as 10/s or 600/m",
			t->path, number, TOKEN_NAME_MAX, TOKEN_LEAST);
	grown = reallocarray(t->items, t->n + 1, sizeof(*grown));
	if (!grown)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "read '%s'", t->path);
	t->items = grown;
	grown += t->n;
	*grown = (struct token){ .rate = rate };
	snprintf(grown->name, sizeof(grown->name), "%.*s", (int)n, line);
	grown->text = strndup(line + n + gap, len);
	if (!grown->text)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "read '%s'", t->path);
	t->n++;
	return 0;
}

static int read_lines(struct tokens *t, FILE *f, struct aisbx_error *e)
{
	scoped(drop_mem) char *line = NULL;
	unsigned int number = 0;
	size_t cap = 0;
	ssize_t n;

	while ((n = getline(&line, &cap, f)) >= 0) {
		int r;

		if (n && line[n - 1] == '\n')
			line[--n] = '\0';
		r = add_line(t, line, ++number, e);
		if (r < 0)
			return r;
	}
	if (!t->n)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' contains no token; remove it and start again to generate one",
				    t->path);
	return 0;
}

static int load(struct tokens *t, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	scoped(drop_file) FILE *f = NULL;

	drop_tokens(t);
	if (fd < 0 || fstat(fd, &t->read) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "read the tokens in '%s'", t->path);
	if (!S_ISREG(t->read.st_mode) || t->read.st_size > FILE_MOST)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'%s' is not a token file",
				    t->path);
	if (t->read.st_mode & 077 || t->read.st_uid != geteuid())
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EACCES,
			"others can read the tokens in '%s'; make it your own with chown, and run chmod 600",
			t->path);
	f = fdopen(fd, "r");
	if (!f)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "read '%s'", t->path);
	take_fd(&fd);
	return read_lines(t, f, e);
}

int tokens_open(struct tokens *t, const char *path, struct aisbx_error *e)
{
	int r;

	*t = (struct tokens){ .path = strdup(path) };
	r = t->path ? load(t, e) : aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "read '%s'", path);
	if (r < 0)
		tokens_finish(t);
	return r;
}

/* Who has asked too often has done so under the same name, whatever else was changed. */
static int reload(struct tokens *t, struct aisbx_error *e)
{
	struct token *old = t->items;
	const size_t n = t->n;
	int r;

	t->items = NULL;
	t->n = 0;
	r = load(t, e);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < t->n; j++)
			if (!strcmp(old[i].name, t->items[j].name))
				t->items[j].bucket = old[i].bucket;
	drop_list(old, n);
	return r;
}

int tokens_refresh(struct tokens *t, struct aisbx_error *e)
{
	const struct stat *old = &t->read;
	struct stat st;
	int r = 0;

	if (lstat(t->path, &st) < 0)
		r = aisbx_fail(e, AISBX_AREA_USAGE, errno, "read the tokens in '%s'", t->path);
	else if (!t->n || st.st_ino != old->st_ino || st.st_dev != old->st_dev ||
		 st.st_mode != old->st_mode || st.st_uid != old->st_uid || st.st_size != old->st_size ||
		 st.st_mtim.tv_sec != old->st_mtim.tv_sec || st.st_mtim.tv_nsec != old->st_mtim.tv_nsec)
		r = reload(t, e);
	if (r < 0)
		drop_tokens(t);
	return r;
}

/* As long as what was given, however much of it is right. */
static bool same(const char *token, const char *given, size_t n)
{
	size_t have = strlen(token);
	unsigned int differ = have != n;

	for (size_t i = 0; i < n; i++)
		differ |= (unsigned int)(unsigned char)given[i] ^ (unsigned char)token[i < have ? i : 0];
	return !differ;
}

struct token *tokens_find(const struct tokens *t, const char *given)
{
	size_t n = strlen(given);
	struct token *found = NULL;

	for (size_t i = 0; i < t->n; i++)
		if (same(t->items[i].text, given, n))
			found = &t->items[i];
	return found;
}

const char *tokens_text(const struct tokens *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->items[i].name, name))
			return t->items[i].text;
	return NULL;
}

static int make_token(char ret[TOKEN_TEXT], struct aisbx_error *e)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned char bytes[TOKEN_BYTES + 2] = { 0 };
	size_t at = 0;

	if (getrandom(bytes, TOKEN_BYTES, 0) != TOKEN_BYTES)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "get random bytes for a token");
	for (; at < TOKEN_TEXT - 1; at++) {
		const size_t bit = at * 6;
		const unsigned int two = (unsigned int)bytes[bit / 8] << 8 | bytes[bit / 8 + 1];

		ret[at] = letters[two >> (10 - bit % 8) & 63];
	}
	ret[at] = '\0';
	explicit_bzero(bytes, sizeof(bytes));
	return 0;
}

/* Whole or not at all, and of two that start at once one wins: link() does not replace. */
static int make_file(const char *path, struct aisbx_error *e)
{
	scoped(drop_mem) char *new = NULL;
	scoped(drop_fd) int fd = -1;
	char token[TOKEN_TEXT];
	int r = make_token(token, e);

	if (r < 0)
		return r;
	if (asprintf(&new, "%s.XXXXXX", path) < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "write the token to '%s'", path);
	fd = mkostemp(new, O_CLOEXEC); /* 0600 */
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "write the token to '%s'", path);
	if (dprintf(fd, "default %s\n", token) < 0 || fsync(fd) < 0 ||
	    (link(new, path) < 0 && errno != EEXIST))
		r = aisbx_fail(e, AISBX_AREA_SYS, errno, "write the token to '%s'", path);
	explicit_bzero(token, sizeof(token));
	unlink(new);
	return r;
}

char *http_token_file(struct aisbx_error *e)
{
	scoped(drop_mem) char *state = box_state_dir(e);
	scoped(drop_mem) char *dir = state ? path_join(state, "serve") : NULL;
	scoped(drop_mem) char *path = dir ? path_join(dir, "tokens") : NULL;

	if (!state)
		return NULL;
	if (!path) {
		aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "find the tokens");
		return NULL;
	}
	if (store_make_dirs(state, e) < 0)
		return NULL;
	if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
		aisbx_fail(e, AISBX_AREA_SYS, errno, "make '%s' for the tokens", dir);
		return NULL;
	}
	if (access(path, F_OK) < 0 && make_file(path, e) < 0)
		return NULL;
	return take_mem(&path);
}
