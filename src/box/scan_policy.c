/* SPDX-License-Identifier: Apache-2.0 */
/* Finds policies of the scan: by path, in the folders for them, or the one that is built in. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/scan.h"

#define SYSTEM_FOLDER "/etc/aisbx/scan"

static int open_policy(const char *path, int *ret_fd)
{
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return *ret_fd < 0 ? -errno : 0;
}

/* FOLDER/NAME.yaml into *PATH. */
static int try_folder(const char *folder, const char *below, const char *name, char **path, int *ret_fd)
{
	char *tried = NULL;
	int r;

	if (!folder)
		return -ENOENT;
	if (asprintf(&tried, "%s%s/%s.yaml", folder, below, name) < 0)
		return -ENOMEM;
	r = open_policy(tried, ret_fd);
	if (r == 0)
		*path = tried;
	else
		free(tried);
	return r;
}

/* By a path, or by a name in the folders for it. */
static int find_policy(const struct caller *by, const char *name, char **ret_path, int *ret_fd,
		       struct aisbx_error *e)
{
	const char *config = caller_variable(by, "XDG_CONFIG_HOME"), *home = caller_variable(by, "HOME");
	char *path = NULL;
	int r = -ENOENT;

	if (!strchr(name, '/')) {
		r = config ? try_folder(config, "/aisbx/scan", name, &path, ret_fd)
			   : try_folder(home, "/.config/aisbx/scan", name, &path, ret_fd);
		if (r == -ENOENT)
			r = try_folder(SYSTEM_FOLDER, "", name, &path, ret_fd);
	}
	if (r == -ENOENT) {
		path = path_resolve(by->cwd, name);
		r = path ? open_policy(path, ret_fd) : -ENOMEM;
	}
	*ret_path = path;
	if (r == 0)
		return 0;
	return aisbx_fail(e, AISBX_AREA_POLICY, -r,
			  "open the scan policy '%s' as a file, in ~/.config/aisbx/scan or in " SYSTEM_FOLDER
			  "; 'default' is the built-in policy",
			  name);
}

/* Modules are named as the policy's directory sees them. */
static int place_modules(const char *path, struct scan_policy *p, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = path_resolve(path, "..");

	for (size_t i = 0; dir && i < p->n_rules; i++) {
		scoped(drop_mem) char *written = p->rules[i].wasm;

		if (!written)
			continue;
		p->rules[i].wasm = path_resolve(dir, written);
		if (!p->rules[i].wasm)
			return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read '%s'", path);
	}
	return dir ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read '%s'", path);
}

int box_scan_policy(const struct caller *by, const char *name, struct scan_policy *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int fd = -1;
	int r;

	if (!name || !strcmp(name, "default"))
		return scan_policy_default(ret, e);
	r = find_policy(by, name, &path, &fd, e);
	if (r < 0)
		return r;
	r = io_read_all(fd, SCAN_POLICY_MAX_BYTES, &text);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, -r, "read '%s'", path);
	r = scan_policy_parse(text.data ? text.data : "", text.len, strchr(name, '/') ? name : path, ret, e);
	return r == 0 ? place_modules(path, ret, e) : r;
}
