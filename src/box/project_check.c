/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is wrong with a project's file; what holds in a project. */
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
#include "box/intents.h"
#include "box/project.h"

/* A FIFO or a device in its place must not hold anybody up. */
static int open_file(const char *path, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_POLICY, ENOENT,
				    "there is no '%s'; a project needs none; 'aisbx project schema' shows "
				    "what it can say",
				    path_tail(path, PATH_TOLD));
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "open '%s'", path_tail(path, PATH_TOLD));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "'%s' is not a regular file", path_tail(path, PATH_TOLD));
	*ret_fd = take_fd(&fd);
	return 0;
}

/* One byte more than may be there shows that it is too long. */
static int read_file(const char *path, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	int r = open_file(path, &fd, e);

	if (r < 0)
		return r;
	r = io_read_all(fd, PROJECT_MAX_BYTES, ret);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_POLICY, -r, "read '%s'", path_tail(path, PATH_TOLD)) : 0;
}

/* What somebody is told of a file would tell him what is in it: of others than the project's that is for a
 * person. */
static int check_person(const struct caller *by, const char *given, struct aisbx_error *e)
{
	if (!by->owner || !given || !strcmp(given, "."))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
			    "only a person may choose another file than the project's own");
}

/* The file of DIR, or the nearest above it; one that is not there when there is none. Heap or NULL. */
static char *nearest_file(const char *dir)
{
	scoped(drop_mem) char *at = strdup(dir);
	struct stat st;

	while (at) {
		scoped(drop_mem) char *file = path_join(at, PROJECT_FILE);
		char *slash = strrchr(at, '/');

		if (file && lstat(file, &st) == 0)
			return take_mem(&file);
		if (!slash || !at[1])
			break;
		slash[slash == at] = '\0';
	}
	return path_join(dir, PROJECT_FILE);
}

/* A file, or the file of a directory; heap, or NULL with an error. */
static char *find_file(const struct caller *by, const char *given, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_resolve(by->cwd, given ? given : ".");
	struct stat st;
	char *file;

	if (check_person(by, given, e) < 0)
		return NULL;
	file = path && stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? nearest_file(path) : take_mem(&path);
	if (!file)
		aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "search for '%s'", PROJECT_FILE);
	return file;
}

void box_project_checked_finish(struct box_project_checked *c)
{
	free(c->file);
	strlist_finish(&c->errors);
}

int box_project_check(const struct caller *by, const char *path, struct box_project_checked *ret,
		      struct aisbx_error *e)
{
	scoped(project_finish) struct project p = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	int r;

	ret->file = find_file(by, path, e);
	r = ret->file ? read_file(ret->file, &text, e) : e->code;
	if (r < 0)
		return r;
	r = project_parse_all(text.data ? text.data : "", text.len, ret->file, &p, &ret->errors, e);
	if (r == -ENOMEM || ret->errors.failed)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "check '%s'", ret->file);
	*e = (struct aisbx_error)AISBX_ERROR_INIT; /* what is wrong is in the list */
	return 0;
}

/* Whether the project has a way to test; files that cannot be read are nobody's word for it. */
static bool has_test(const struct caller *by, const char *dir, const struct project *p)
{
	const struct box_intents_request req = { .project = dir, .says = p };
	scoped(intent_list_finish) struct intent_list found = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	return box_intents_find(by->cwd, &req, &found, NULL, &ignored) == 0 &&
	       intent_best(&found, INTENT_TEST);
}

int box_project_show(const struct caller *by, const char *given, struct project *ret, bool *ret_own,
		     struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = path_resolve(by->cwd, given ? given : ".");
	int r = check_person(by, given, e);

	if (r == 0 && !dir)
		r = aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "search for '%s'", PROJECT_FILE);
	if (r == 0)
		r = box_project_load_told(dir, ret, e);
	if (r < 0)
		return r;
	*ret_own = ret->n_stages;
	return *ret_own ? 0 : project_default_stages(ret, has_test(by, dir, ret), e);
}

int box_project_load_told(const char *dir, struct project *ret, struct aisbx_error *e)
{
	int r = box_project_load(dir, PROJECT_ALL, ret, e);

	return r < 0 ? aisbx_hint(e, "'aisbx project check' reports all problems") : 0;
}
