/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the author of a commit. */
#include "promote/commit_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"

#define MAX_BYTES (1u << 20)

/* A file that is not there says nothing. */
static bool read_file(const char *dir, const char *name, struct git_identity *i)
{
	scoped(drop_mem) char *path = dir ? path_join(dir, name) : NULL;
	scoped(drop_fd) int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	scoped(buf_finish) struct buf text = { 0 };
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return !dir || path;
	return (io_read_all(fd, MAX_BYTES, &text) != -ENOMEM && buf_str(&text)) &&
	       git_identity_read(text.data, i);
}

/* "NAME <MAIL>" */
static int split(const char *author, struct git_identity *ret, struct aisbx_error *e)
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

int commit_identity_find(const struct caller *by, const char *author, struct git_identity *ret,
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
