/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the journal of a promotion, when its event is sent: the promotion itself does not wait for this. */
#include "fleet/history/changed.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "fleet/history/row.h"
#include "layer/journal_content.h"
#include "policy/git_config.h"

/* Of one promotion: text, bytes that are read, and what stands around a path. */
#define TEXT_MAX   ((size_t)1 << 16)
#define READ_MAX   ((uint64_t)32 << 20)
#define ENTRY      (2 * CHECKSUM_MAX + 16)
#define CONFIG_MAX ((size_t)1 << 18)
#define ORIGIN_MAX 256

bool changed_origin(const char *url, char *ret, size_t cap)
{
	const char *from = strstr(url, "://"), *person;
	const bool scheme = from != NULL;
	bool ssh; /* host:path */
	size_t host, len;

	from = scheme ? from + 3 : url;
	host = strcspn(from, scheme ? "/" : ":/");
	ssh = !scheme && from[host] == ':';
	person = memrchr(from, '@', host);
	if (person) {
		host -= (size_t)(person + 1 - from);
		from = person + 1;
	}
	len = strcspn(from, "?#");
	while (len && from[len - 1] == '/')
		len--;
	if (len > 4 && !strncmp(from + len - 4, ".git", 4))
		len -= 4;
	if (!len || len >= cap)
		return false;
	for (size_t i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)from[i];

		if (c <= ' ' || c >= 0x7f)
			return false;
		ret[i] = (char)(ssh && i == host ? '/' : (ssh || scheme) && i < host ? tolower(c) : c);
	}
	ret[len] = '\0';
	return true;
}

/* A small file. It is a stranger's: a pipe must not keep this process waiting. */
static bool read_small(const char *dir, const char *name, struct buf *ret)
{
	scoped(drop_mem) char *path = path_join(dir, name);
	scoped(drop_fd) int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       io_read_all(fd, CONFIG_MAX, ret) == 0 && buf_str(ret);
}

/* The configuration of the repository that TARGET is the top of; of a work tree, that of its repository. */
static bool read_config(const char *target, struct buf *ret)
{
	scoped(buf_finish) struct buf link = { 0 };
	scoped(drop_mem) char *dir = NULL;
	char *apart;

	if (read_small(target, ".git/config", ret))
		return true;
	if (!read_small(target, ".git", &link) || strncmp(link.data, "gitdir: ", 8) != 0)
		return false;
	link.data[strcspn(link.data, "\n")] = '\0';
	apart = strstr(link.data, "/worktrees/");
	if (apart)
		*apart = '\0';
	dir = link.data[8] == '/' ? strdup(link.data + 8) : path_join(target, link.data + 8);
	return dir && read_small(dir, "config", ret);
}

static void tell_project(json_t *body, const char *target)
{
	scoped(buf_finish) struct buf config = { 0 };
	scoped(drop_mem) char *url = NULL;
	char name[ORIGIN_MAX];

	if (read_config(target, &config) && git_config_value(config.data, "remote", "origin", "url", &url) &&
	    url && changed_origin(url, name, sizeof(name)))
		json_object_set_new(body, "project", json_string(name));
}

struct changes {
	json_t *all; /* owned */
	size_t size, more;
};

static void add_change(void *ctx, const char *path, const struct journal_content *c)
{
	struct changes *t = ctx;
	const size_t size = strlen(path) + ENTRY;

	if ((c->was_there && !c->was[0]) || t->size + size > TEXT_MAX ||
	    json_object_set_new(t->all, path,
				json_pack("[ss]", c->was_there ? c->was : "new",
					  c->is_there ? c->is : "gone")) < 0)
		t->more++;
	else
		t->size += size;
}

size_t changed_tell(json_t *body, const char *dir, const char *id)
{
	scoped(drop_journal) struct journal *j = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct changes t = { .all = json_object() };

	if (t.all && journal_load(dir, id, &j, &ignored) == 0)
		journal_contents(j, READ_MAX, add_change, &t);
	if (t.size) {
		json_object_set(body, "changed", t.all);
		if (t.more)
			json_object_set_new(body, "not_compared", json_integer((json_int_t)t.more));
		tell_project(body, j->target);
	}
	json_decref(t.all);
	return t.size ? t.size + ORIGIN_MAX : 0;
}
