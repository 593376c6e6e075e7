/* SPDX-License-Identifier: Apache-2.0 */
/* Finds policies of the scan, and says reports as JSON. */
#include "op/scanned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

#define SYSTEM_FOLDER "/etc/aisbx/scan"

static const char *variable(const struct op_context *ctx, const char *name)
{
	size_t len = strlen(name);

	for (const char *const *v = ctx->by.env; v && *v; v++)
		if (!strncmp(*v, name, len) && (*v)[len] == '=' && (*v)[len + 1])
			return *v + len + 1;
	return NULL;
}

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
static int find_policy(const struct op_context *ctx, const char *name, char **ret_path, int *ret_fd,
		       struct aisbx_error *e)
{
	const char *config = variable(ctx, "XDG_CONFIG_HOME"), *home = variable(ctx, "HOME");
	char *path = NULL;
	int r = -ENOENT;

	if (!strchr(name, '/')) {
		r = config ? try_folder(config, "/aisbx/scan", name, &path, ret_fd)
			   : try_folder(home, "/.config/aisbx/scan", name, &path, ret_fd);
		if (r == -ENOENT)
			r = try_folder(SYSTEM_FOLDER, "", name, &path, ret_fd);
	}
	if (r == -ENOENT) {
		path = path_resolve(ctx->by.cwd, name);
		r = path ? open_policy(path, ret_fd) : -ENOMEM;
	}
	*ret_path = path;
	if (r == 0)
		return 0;
	return aisbx_fail(e, AISBX_AREA_POLICY, -r,
			  "open the scan policy '%s', as a file, in ~/.config/aisbx/scan or in " SYSTEM_FOLDER
			  "; 'default' is the one that is built in",
			  name);
}

int op_scan_policy(const struct op_context *ctx, const char *name, struct scan_policy *ret,
		   struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int fd = -1;
	char chunk[8192];
	ssize_t n;
	int r;

	if (!name || !strcmp(name, "default"))
		return scan_policy_default(ret, e);
	r = find_policy(ctx, name, &path, &fd, e);
	if (r < 0)
		return r;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && text.len <= SCAN_POLICY_MAX_BYTES)
		buf_add(&text, chunk, (size_t)n);
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "read '%s'", path);
	if (text.failed)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read '%s'", path);
	return scan_policy_parse(text.data ? text.data : "", text.len, strchr(name, '/') ? name : path, ret,
				 e);
}

static json_t *finding_json(const struct scan_finding *f)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:I, s:I, s:I, s:I, s:s, s:I, s:s, s:s?}",
			 "rule", f->rule->id, "severity", scan_severity_name(f->rule->severity), "kind",
			 fact_kind_name(f->kind), "name", f->name, "call", f->call, "indirect",
			 (f->flags & FACT_INDIRECT) != 0, "nested", (f->flags & FACT_NESTED) != 0, "line",
			 (json_int_t)f->line, "column", (json_int_t)f->column, "end_line",
			 (json_int_t)f->end_line, "end_column", (json_int_t)f->end_column, "text", f->text,
			 "text_offset", (json_int_t)f->text_offset, "why", f->rule->why, "advice",
			 f->rule->advice);
}

json_t *op_scan_json(const struct scan_report *r)
{
	json_t *findings = json_array();

	for (size_t i = 0; i < r->n_findings; i++)
		json_array_append_new(findings, finding_json(&r->findings[i]));
	return json_pack("{s:s, s:I, s:s, s:s, s:I, s:o}", "language", r->language, "bytes",
			 (json_int_t)r->bytes, "risk", scan_severity_name(r->risk), "action",
			 scan_action_name(r->action), "more", (json_int_t)r->more, "findings", findings);
}
