/* SPDX-License-Identifier: Apache-2.0 */
/* What a run mounts and hides: of its profile, its options and its network rules. */
#include "box/spec_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/devices.h"
#include "box/owner.h"
#include "policy/egress.h"

int spec_path(struct run_spec *spec, const char *cwd, const char *path, const char **ret,
	      struct aisbx_error *e)
{
	scoped(drop_mem) char *full = path_resolve(cwd, path);

	if (!full)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "path '%s'", path);
	if (!path_is_clean(full))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENAMETOOLONG,
				    "path '%.100s...' is too long: it has %zu bytes, at most %u are allowed; "
				    "a shorter one "
				    "may be a symbolic link to it",
				    path, strlen(full), (unsigned int)PATH_MAX - 1);
	strlist_add(&spec->kept, full);
	if (spec->kept.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "path '%s'", path);
	*ret = spec->kept.items[spec->kept.n - 1];
	return 0;
}

/* HOST, or HOST:GUEST. A colon in a name is written as "\:". */
static int add_mount(struct run_spec *spec, const char *cwd, const char *text, bool writable,
		     struct aisbx_error *e)
{
	scoped(drop_mem) char *host = calloc(1, strlen(text) + 1);
	struct run_mount *m = &spec->walls.own_mounts[spec->walls.n_mounts];
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
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' is not of the form HOST[:GUEST] with an absolute GUEST", text);
	m->writable = writable;
	r = spec_path(spec, cwd, host, &m->host, e);
	if (r == 0)
		r = spec_path(spec, cwd, *in ? in + 1 : host, &m->guest, e);
	if (r == 0 && !strcmp(m->guest, "/"))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'%s': nothing can be mounted over the root", text);
	if (r == 0)
		spec->walls.n_mounts++;
	return r;
}

static int add_hide(struct run_spec *spec, const char *cwd, const char *text, struct aisbx_error *e)
{
	const char *path = "";
	int r = spec_path(spec, cwd, text, &path, e);

	if (r < 0)
		return r;
	if (!strcmp(path, "/"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the root directory cannot be hidden");
	strlist_add(&spec->walls.hides, path);
	return 0;
}

/* A path of a profile, in which "~/" is the home directory; ESCAPE: as --ro wants it. Heap. */
static char *profile_path(const char *text, bool escape)
{
	scoped(buf_finish) struct buf path = { 0 };
	const char *home = text[0] == '~' && (text[1] == '/' || !text[1]) ? getenv("HOME") : NULL;

	for (const char *c = home; c && *c; c++)
		buf_addf(&path, *c == ':' ? "\\%c" : "%c", *c);
	for (const char *c = home ? text + 1 : text; *c; c++)
		buf_addf(&path, *c == ':' && escape ? "\\%c" : "%c", *c);
	return buf_str(&path) ? take_mem(&path.data) : NULL;
}

/* One that is not there is not shown, and no error: a profile is for many machines. */
static int show(struct run_spec *spec, const char *path, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = profile_path(path, true), *plain = profile_path(path, false);

	if (!text || !plain)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "show '%s'", path);
	if (spec->walls.image) /* it is about boxes that are this machine */
		return 0;
	return *plain != '/' || access(plain, F_OK) < 0 ? 0 : add_mount(spec, "/", text, false, e);
}

/* Paths of a profile that are neither absolute nor below the home are the project's. */
static int add_profile_mounts(struct run_spec *spec, struct aisbx_error *e)
{
	const struct profile_rules *rules = &spec->origin->rules;
	const char *base = spec->walls.project ? spec->walls.project : "/";
	int r = 0;

	for (size_t i = 0; r == 0 && i < rules->n_values; i++) {
		const struct profile_setting *s = rules->values[i].setting;

		if (profile_value_is(rules, i, "show"))
			r = show(spec, s->value, e);
		if (!profile_value_is(rules, i, "mounts"))
			continue;
		scoped(drop_mem) char *text = profile_path(s->value, false);

		if (!text)
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "mount '%s'", s->value);
		r = strcmp(s->name, "hide") ? add_mount(spec, base, text, !strcmp(s->name, "rw"), e)
					    : add_hide(spec, base, text, e);
		if (r < 0)
			aisbx_context(e, "%s:%u:%u", path_tail(rules->values[i].layer->file, PATH_TOLD),
				      s->line, s->column);
	}
	return r;
}

/* "net:unix:/path": a socket of the host is reached where it lies. */
static int add_sockets(struct run_spec *spec, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < spec->net.rules.n; i++) {
		struct egress_rule rule;

		r = egress_rule_parse(spec->net.rules.items[i], &rule, e);
		if (r == 0 && rule.kind == EGRESS_SOCKET)
			r = add_mount(spec, "/", rule.name, true, e);
	}
	return r;
}

int spec_mounts(struct run_spec *spec, const char *cwd, const struct run_options *w, struct aisbx_error *e)
{
	const bool devices = box_has_devices(spec, w);
	size_t most = w->ro.n + w->rw.n + spec->origin->rules.n_values + spec->net.rules.n + 1 +
		      (devices ? BOX_DEVICES_MAX : 0);
	int r;

	spec->walls.own_mounts = calloc(most, sizeof(*spec->walls.own_mounts));
	if (!spec->walls.own_mounts)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list of mounts");
	spec->walls.mounts = spec->walls.own_mounts;
	r = spec->box.exec ? 0 : add_profile_mounts(spec, e); /* a live box has its mounts */
	for (size_t i = 0; r == 0 && i < w->ro.n; i++)
		r = add_mount(spec, cwd, w->ro.items[i], false, e);
	for (size_t i = 0; r == 0 && i < w->rw.n; i++)
		r = add_mount(spec, cwd, w->rw.items[i], true, e);
	if (r == 0 && devices && !spec->box.exec)
		r = box_devices_add(spec, cwd, w, e);
	if (r == 0 && !spec->box.exec)
		r = add_sockets(spec, e);
	for (size_t i = 0; r == 0 && i < w->hide.n; i++)
		r = add_hide(spec, cwd, w->hide.items[i], e);
	return r;
}

/* What aisbx keeps, other boxes and the history, is the driver's, and no business of a box, wherever it lies.
 */
void spec_state(struct run_spec *spec)
{
	struct aisbx_error ignored;
	scoped(drop_mem) char *dir = box_state_path(&ignored);

	if (dir)
		strlist_add(&spec->kept, dir);
	if (dir && !spec->kept.failed)
		spec->box.state_dir = spec->kept.items[spec->kept.n - 1];
	if (spec->walls.image) /* which shows nothing of this machine but what somebody asks for */
		return;
	if (dir && path_is_clean(dir) && access(dir, F_OK) == 0)
		strlist_add(&spec->walls.hides, dir);
}
