/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the section [user] of a git configuration. Files that it includes are not followed. */
#include "promote/commit_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"

#define MAX_BYTES (1u << 20)

void commit_identity_finish(struct commit_identity *i)
{
	free(i->name);
	free(i->email);
}

/* A value: quotes, backslashes, comments, lines that go on. AT is then at the end of it. Heap, or NULL. */
static char *read_value(const char **at)
{
	scoped(buf_finish) struct buf b = { 0 };
	bool quoted = false;
	size_t end = 0; /* blanks at the end do not count */
	const char *c = *at + strspn(*at, " \t");

	buf_add(&b, "", 0);
	for (; *c && *c != '\n'; c++) {
		char plain = *c;

		if (*c == '"') {
			quoted = !quoted;
			continue;
		}
		if (!quoted && (*c == '#' || *c == ';')) {
			c += strcspn(c, "\n");
			break;
		}
		if (*c == '\\' && c[1]) {
			c++;
			if (*c == '\n')
				continue;
			plain = *c == 'n' ? '\n' : *c == 't' ? '\t' : *c;
		}
		buf_add(&b, &plain, 1);
		if (quoted || !strchr(" \t\r", plain))
			end = b.len;
	}
	*at = c;
	return buf_str(&b) ? strndup(b.data, end) : NULL;
}

static bool take(char **into, const char **at)
{
	char *value = read_value(at);

	if (!value)
		return false;
	free(*into);
	*into = value;
	return true;
}

bool commit_identity_read(const char *text, struct commit_identity *i)
{
	bool in_user = false;

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		size_t word;

		at += strspn(at, " \t\r");
		if (*at == '[') {
			const char *name = at + 1 + strspn(at + 1, " \t");

			in_user = !strncasecmp(name, "user", 4) && name[4 + strspn(name + 4, " \t")] == ']';
			at += strcspn(at, "]\n");
			at += *at == ']';
			at += strspn(at, " \t");
		}
		word = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
		if (!in_user || at[word + strspn(at + word, " \t")] != '=') {
			continue;
		} else {
			bool is_name = word == 4 && !strncasecmp(at, "name", 4),
			     is_email = word == 5 && !strncasecmp(at, "email", 5);

			at += word + strspn(at + word, " \t") + 1;
			if ((is_name && !take(&i->name, &at)) || (is_email && !take(&i->email, &at)))
				return false;
		}
	}
	return true;
}

/* A file that is not there says nothing. */
static bool read_file(const char *dir, const char *name, struct commit_identity *i)
{
	scoped(drop_mem) char *path = dir ? path_join(dir, name) : NULL;
	scoped(drop_fd) int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	scoped(buf_finish) struct buf text = { 0 };
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return !dir || path;
	return (io_read_all(fd, MAX_BYTES, &text) != -ENOMEM && buf_str(&text)) &&
	       commit_identity_read(text.data, i);
}

/* "NAME <MAIL>" */
static int split(const char *author, struct commit_identity *ret, struct aisbx_error *e)
{
	const char *open = strchr(author, '<'), *close = open ? strchr(open, '>') : NULL;
	size_t name = open ? (size_t)(open - author) : 0;

	while (name && author[name - 1] == ' ')
		name--;
	if (!name || !close || close == open + 1 || close[1] || strpbrk(author, "\n\r"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.80s' is not an author; write 'NAME <MAIL>'", author);
	ret->name = strndup(author, name);
	ret->email = strndup(open + 1, (size_t)(close - open - 1));
	return ret->name && ret->email ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the author");
}

int commit_identity_find(const struct caller *by, const char *author, struct commit_identity *ret,
			 struct aisbx_error *e)
{
	const char *home = caller_variable(by, "HOME"), *config = caller_variable(by, "XDG_CONFIG_HOME");
	const char *name = caller_variable(by, "GIT_AUTHOR_NAME"),
		   *email = caller_variable(by, "GIT_AUTHOR_EMAIL");
	bool read;

	if (author)
		return split(author, ret, e);
	read = read_file(config ? config : home, config ? "git/config" : ".config/git/config", ret) &&
	       read_file(home, ".gitconfig", ret);
	if (read && name) {
		free(ret->name);
		ret->name = strdup(name);
		read = ret->name;
	}
	if (read && email) {
		free(ret->email);
		ret->email = strdup(email);
		read = ret->email;
	}
	return read ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the author of the commit");
}
