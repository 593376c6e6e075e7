/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of `run` to a request: paths made absolute, sizes to numbers, profile changed where asked. */
#include "op/args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "op/value.h"

static const char *text_arg(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

/* Kept of each stream for a result when the caller does not say: what a program can still read in one piece. */
#define CAPTURE_BYTES (4u << 20)

static int set_profile(const json_t *args, const char *fallback, bool captured, struct profile *p, struct aisbx_error *e)
{
	const char *name = text_arg(args, "profile");
	const char *net = text_arg(args, "net");
	const struct profile *found = profile_by_name(name ? name : fallback);

	if (!found)
		return aisbx_refuse(e, AISBX_AREA_POLICY, ENOENT, "there is no profile '%s'", name);
	*p = *found;
	if (net)
		net_mode_by_name(net, &p->net);
	if (json_is_true(json_object_get(args, "no-net")))
		p->net = NET_NONE;
	if (json_is_true(json_object_get(args, "tty")))
		p->timeout_ms = 0; /* a person sits there */
	op_value_ms(json_object_get(args, "timeout"), &p->timeout_ms);
	op_value_size(json_object_get(args, "disk"), &p->disk_bytes);
	op_value_number(json_object_get(args, "pids"), &p->pids);
	op_value_number(json_object_get(args, "files"), &p->files);
	if (!op_value_size(json_object_get(args, "output"), &p->output_bytes) && captured && p->output_bytes > CAPTURE_BYTES)
		p->output_bytes = CAPTURE_BYTES;
	if (p->disk_bytes < 1 << 20)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "a box needs at least 1 MiB of disk");
	if (p->pids < 2)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "a box needs at least 2 processes");
	if (p->files < 16)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "a command needs at least 16 open files");
	return 0;
}

static int keep_path(struct box_request *req, const char *cwd, const char *path, const char **ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *full = path_resolve(cwd, path);

	if (!full)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "path '%s'", path);
	if (!path_is_clean(full))
		return aisbx_refuse(e, AISBX_AREA_USAGE, ENAMETOOLONG, "path '%.100s...' is too long", path);
	strlist_add(&req->kept, full);
	if (req->kept.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "path '%s'", path);
	*ret = req->kept.items[req->kept.n - 1];
	return 0;
}

/* HOST, or HOST:GUEST. A colon in a name is written as "\:". */
static int add_mount(struct box_request *req, const char *cwd, const char *text, bool writable, struct aisbx_error *e)
{
	scoped(drop_mem) char *host = calloc(1, strlen(text) + 1);
	struct driver_mount *m = &req->mounts[req->spec.n_mounts];
	const char *in = text;
	size_t n = 0;
	int r;

	if (!host)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "mount '%s'", text);
	for (; *in && *in != ':'; in++) {
		if (in[0] == '\\' && in[1] == ':')
			in++;
		host[n++] = *in;
	}
	if (!n || (*in == ':' && in[1] != '/'))
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "'%s' is not HOST[:GUEST] with an absolute GUEST", text);
	m->writable = writable;
	r = keep_path(req, cwd, host, &m->host, e);
	if (r == 0)
		r = keep_path(req, cwd, *in ? in + 1 : host, &m->guest, e);
	if (r == 0 && !strcmp(m->guest, "/"))
		r = aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "'%s': nothing can be mounted over the root", text);
	if (r == 0)
		req->spec.n_mounts++;
	return r;
}

static int add_mounts(struct box_request *req, const char *cwd, const json_t *args, struct aisbx_error *e)
{
	static const char *const names[] = { "ro", "rw" };
	size_t n = json_array_size(json_object_get(args, "ro")) + json_array_size(json_object_get(args, "rw")), i;
	const json_t *item;
	int r = 0;

	req->mounts = calloc(n + 1, sizeof(*req->mounts));
	if (!req->mounts)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list of mounts");
	req->spec.mounts = req->mounts;
	for (int writable = 0; writable < 2; writable++)
		json_array_foreach(json_object_get(args, names[writable]), i, item) {
			r = add_mount(req, cwd, json_string_value(item), writable, e);
			if (r < 0)
				return r;
		}
	json_array_foreach(json_object_get(args, "hide"), i, item) {
		const char *path;

		r = keep_path(req, cwd, json_string_value(item), &path, e);
		if (r < 0)
			return r;
		if (!strcmp(path, "/"))
			return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "the root cannot be hidden");
		strlist_add(&req->hides, path);
	}
	return 0;
}

/* What aisbx keeps, other boxes and the history, is no business of a box, wherever it lies. */
static void hide_state(struct box_request *req)
{
	struct aisbx_error ignored;
	scoped(drop_mem) char *dir = box_state_dir(&ignored);

	if (dir && path_is_clean(dir) && access(dir, F_OK) == 0)
		strlist_add(&req->hides, dir);
}

static int add_env(struct box_request *req, const struct op_context *ctx, const json_t *args, struct aisbx_error *e)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(args, "env"), i, item) {
		const char *text = json_string_value(item);
		size_t n = strcspn(text, "=");

		if (!n)
			return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "'%s' is not NAME or NAME=VALUE", text);
		if (text[n]) {
			strlist_add(&req->set_env, text);
			continue;
		}
		for (const char *const *v = ctx->env; v && *v; v++)
			if (!strncmp(*v, text, n) && (*v)[n] == '=')
				strlist_add(&req->set_env, *v);
	}
	return 0;
}

static int add_without(struct box_request *req, const json_t *args, struct aisbx_error *e)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(args, "without"), i, item) {
		const char *name = json_string_value(item);
		enum wall w = wall_by_name(name);

		if (w == WALL_COUNT)
			return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "there is no wall '%s'; 'aisbx doctor' lists them",
					    name);
		if (WALL_ALWAYS & (1u << w))
			return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "without the wall '%s' there is no box", name);
		req->spec.without |= 1u << w;
	}
	return 0;
}

static int add_command(struct box_request *req, const json_t *args, struct aisbx_error *e)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(args, "command"), i, item)
		strlist_add(&req->argv, json_string_value(item));
	if (!req->argv.n || !*req->argv.items[0])
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "the command is empty");
	req->spec.argv = (const char *const *)req->argv.items;
	return 0;
}

/* A run in a box that stays takes project and profile from it. */
static int take_box(struct box_request *req, const char *key, const char *project, bool disk, struct store_box *ret,
		    struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	int r;

	if (disk)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EOPNOTSUPP, "a limit on the disk of a box that stays is not there yet; leave --disk out");
	if (project)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "a box has its project since it was created; leave --project out");
	r = box_shelf_open(&shelf, e);
	if (r == 0)
		r = store_box_find(shelf.store, key, ret, e);
	if (r == 0 && ret->project)
		r = keep_path(req, "/", ret->project, &req->spec.project, e);
	req->box = key;
	memcpy(req->box_id, ret->id, sizeof(req->box_id));
	return r;
}

int op_run_request(const struct op_context *ctx, const json_t *args, struct box_request *req, struct aisbx_error *e)
{
	const char *project = text_arg(args, "project"), *cwd = text_arg(args, "cwd"), *key = text_arg(args, "box");
	scoped(store_box_finish) struct store_box box = { 0 };
	int r = 0;

	if (key)
		r = take_box(req, key, project, json_object_get(args, "disk") != NULL, &box, e);
	if (r == 0)
		r = set_profile(args, key ? box.profile : "dev", ctx->out_fds[0] < 0, &req->spec.profile, e);
	if (r == 0 && !key)
		r = keep_path(req, ctx->cwd, project ? project : ".", &req->spec.project, e);
	if (r == 0)
		r = keep_path(req, req->spec.project ? req->spec.project : "/", cwd ? cwd : ".", &req->spec.cwd, e);
	if (r == 0)
		r = add_mounts(req, ctx->cwd, args, e);
	if (r == 0)
		hide_state(req);
	if (r == 0)
		r = add_env(req, ctx, args, e);
	if (r == 0)
		r = add_without(req, args, e);
	if (r == 0)
		r = add_command(req, args, e);
	if (r < 0)
		return r;
	req->driver = text_arg(args, "driver");
	req->spec.env = ctx->env;
	req->spec.set_env = &req->set_env;
	req->spec.hides = &req->hides;
	req->spec.tty = json_is_true(json_object_get(args, "tty"));
	req->spec.stdin_fd = ctx->stdin_fd;
	req->spec.out_fds[0] = ctx->out_fds[0];
	req->spec.out_fds[1] = ctx->out_fds[1];
	if (req->set_env.failed || req->hides.failed || req->argv.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "prepare the run");
	return 0;
}
