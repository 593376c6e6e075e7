/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a project's aisbx.yaml: on the host, or as a box has it. The file is not trusted. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/point.h"

/* A link would show, in what is said about it, a file that who wrote the project could not read. */
static int open_file(const char *path, bool follow, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
	struct stat st;

	if (fd < 0 && errno == ELOOP && !follow)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, ELOOP,
			"'%s' is a symbolic link, which is not followed there; name the file with --services",
			path);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "open '%s'", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "'%s' is not a regular file", path);
	*ret_fd = take_fd(&fd);
	return 0;
}

static int read_all(int fd, const char *path, struct buf *ret, struct aisbx_error *e)
{
	char chunk[8192];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && ret->len <= PROJECT_MAX_BYTES)
		buf_add(ret, chunk, (size_t)n);
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "read '%s'", path);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read '%s'", path) : 0;
}

static int parse(const char *path, const char *name, bool follow, struct project *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_fd) int fd = -1;
	int r = open_file(path, follow, &fd, e);

	if (r == 0)
		r = read_all(fd, path, &text, e);
	if (r == 0)
		r = project_parse_parts(text.data ? text.data : "", text.len, name, PROJECT_SERVICES, ret, e);
	return r < 0 && !follow ? aisbx_hint(e, "--no-services runs the command without services") : r;
}

/* Where the newest layer that knows of it has it, or the host; heap. 0 and NULL: it is not there. */
static int find(const struct run_spec *spec, struct box_state *state, const struct store_box *box, char **ret,
		struct aisbx_error *e)
{
	scoped(box_point_finish) struct box_point point = { 0 };
	struct stat st;
	char *path;
	int r = box ? box_point_read(state, box, "", &point, e) : 0;

	if (r < 0)
		return r;
	for (size_t i = point.ups.n + 1; i-- > 0;) {
		path = path_join(i            ? point.ups.items[i - 1]
				 : point.host ? point.host
					      : spec->walls.project,
				 PROJECT_FILE);
		if (!path)
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for '%s'", PROJECT_FILE);
		if (lstat(path, &st) == 0) {
			bool gone = i && S_ISCHR(st.st_mode); /* overlayfs' mark of what was removed */

			if (!gone)
				*ret = path;
			else
				free(path);
			return 0;
		}
		r = errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, errno, "search for '%s'", path);
		free(path);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Mistakes in parts that the run does not need. A box may have written the file: only plain characters are
 * shown. */
static void tell_problems(const struct project *p, int fd)
{
	scoped(drop_mem) char *line = project_problem_line(p);

	for (char *c = line; c && *c; c++)
		*c = *c < ' ' || *c > '~' ? '?' : *c;
	if (line)
		dprintf(fd, "aisbx: %s\n", line);
}

int box_services(const struct run_spec *spec, struct box_state *state, const struct store_box *box,
		 struct project *ret_project, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;
	int r;

	if (spec->command.no_services || (!spec->command.services_file && !spec->walls.project))
		return 0;
	if (spec->command.services_file)
		return parse(spec->command.services_file, spec->command.services_file, true, ret_project, e);
	r = find(spec, state, box, &path, e);
	if (r == 0 && path)
		r = parse(path, PROJECT_FILE, false, ret_project, e);
	if (r == 0 && spec->io.out_fds[1] > 0 && !spec->box.purpose)
		tell_problems(ret_project, spec->io.out_fds[1]);
	return r;
}
