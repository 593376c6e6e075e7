/* SPDX-License-Identifier: Apache-2.0 */
/* A wish into the specification of its run: paths made absolute, sizes to numbers, profile changed where
 * asked. */
#include "box/run_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/here.h"
#include "box/image.h"
#include "box/image_ids.h"
#include "box/devices.h"
#include "box/injected.h"
#include "box/net_live.h"
#include "box/net_options.h"
#include "box/no_caches.h"
#include "box/owner.h"
#include "box/project_secrets.h"
#include "box/secret_specs.h"
#include "policy/egress.h"
#include "policy/seccomp.h"

/* Kept of each stream for a result when the caller does not say: what a program can still read
 * in one piece. */
#define CAPTURE_BYTES (4u << 20)
/* With its NUL: MAX_ARG_STRLEN of the kernel. */
#define MAX_WORD 131072u

static int set_limits(const struct run_options *w, uint64_t *limits, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n_profile_limits; i++) {
		const struct profile_limit *l = &profile_limits[i];

		if (!(w->limited & (1u << l->limit)))
			continue;
		limits[l->limit] = w->limits[l->limit];
		r = profile_limit_check(l, limits[l->limit], e);
	}
	return r;
}

const char *run_profile_ref(const struct caller *by, const char *option, const char *of_box,
			    const char **ret_from)
{
	static const char variable[] = "AISBX_PROFILE=";

	*ret_from = option ? "option" : of_box ? "box" : "variable";
	for (size_t i = 0; !option && !of_box && by->env && by->env[i]; i++)
		if (!strncmp(by->env[i], variable, strlen(variable)) && by->env[i][strlen(variable)])
			return by->env[i] + strlen(variable);
	if (!option && !of_box)
		*ret_from = "default";
	return option ? option : of_box ? of_box : "dev";
}

int run_profile_options(const struct run_options *w, struct profile *p, struct aisbx_error *e)
{
	int r = net_options_read(&w->net, &p->net, NULL, e);

	if (r < 0)
		return r;
	if (w->seccomp && !seccomp_preset_by_name(w->seccomp, &p->seccomp))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "there is no seccomp preset '%s'", w->seccomp);
	if (p->seccomp && p->seccomp_file)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the profile has the seccomp file '%s', which goes with --seccomp "
				    "default only; omit --seccomp",
				    p->seccomp_file);
	if (w->secret_files)
		p->plain_secret_files = !strcmp(w->secret_files, "plain");
	if (w->no_net)
		p->net = NET_NONE;
	if (w->no_caches)
		p->caches = false;
	if (w->tty && !w->tty_by_itself && !w->detach)
		p->limits[LIMIT_WALL_TIME] = 0; /* a person sits there */
	if (w->limited & (1u << LIMIT_MEMORY))
		p->memory_share = 0; /* also for 0: none */
	if (w->limited & (1u << LIMIT_FILES))
		p->files_at_once = true;
	return set_limits(w, p->limits, e);
}

/* A model may choose a profile, but none that allows more than what it would get otherwise. */
static int check_stricter(const struct caller *by, const struct run_options *w, const char *of_box,
			  const struct box_profile *chosen, struct aisbx_error *e)
{
	scoped(box_profile_finish) struct box_profile holds = { 0 };
	const char *from;
	int r;

	if (!w->stricter || !w->profile)
		return 0;
	r = box_profile_load(run_profile_ref(by, NULL, of_box, &from), by->cwd, w->lang, &holds, e);
	if (r < 0 || box_profile_is_within(chosen, &holds))
		return r;
	return aisbx_refuse(
		e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EACCES,
		"the profile '%s' allows more than '%s', which holds here; only a person can choose it",
		chosen->ref, holds.ref);
}

static int set_profile(const struct caller *by, const struct run_options *w, const char *of_box,
		       struct run_spec *spec, struct aisbx_error *e)
{
	struct profile *p = &spec->profile;
	const char *from;
	int r;

	spec->origin = calloc(1, sizeof(*spec->origin));
	if (!spec->origin)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "load the profile");
	r = box_profile_load(run_profile_ref(by, w->profile, of_box, &from), by->cwd, w->lang, spec->origin,
			     e);
	if (r < 0)
		return r;
	r = check_stricter(by, w, of_box, spec->origin, e);
	if (r < 0)
		return r;
	*p = spec->origin->rules.profile;
	if (of_box || spec->box.exec)
		p->limits[LIMIT_LIFETIME] = 0; /* its own began when it was made */
	if (by->out_fds[0] < 0 && p->limits[LIMIT_OUTPUT] > CAPTURE_BYTES)
		p->limits[LIMIT_OUTPUT] = CAPTURE_BYTES;
	return run_profile_options(w, p, e);
}

/* Whether a person has said a mode. */
static bool names_mode(const struct strlist *values)
{
	enum net_mode ignored;

	for (size_t i = 0; i < values->n; i++)
		if (net_mode_by_name(values->items[i], &ignored))
			return true;
	return false;
}

/* Secrets that are injected need a network, unless somebody said that there is none. */
static int turn_on(const struct run_options *w, const struct strlist *of_box, enum net_mode *mode,
		   struct aisbx_error *e)
{
	if (net_mode_has_rules(*mode))
		return 0;
	if (!w->no_net && !names_mode(of_box) && !names_mode(&w->net)) {
		*mode = NET_ALLOW;
		return 0;
	}
	for (size_t i = 0; i < w->secret.n; i++)
		if (strstr(w->secret.items[i], ",inject="))
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				"--secret with 'inject' needs a network, and --net %s leaves none",
				net_mode_name(*mode));
	return 0;
}

/* Of the box, then of the options; --no-net and modes without rules leave none. */
static int set_net(const struct caller *by, const struct run_options *w, struct run_spec *spec,
		   struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist of_box = { 0 }, rules = { 0 }, injected = { 0 };
	scoped(drop_mem) char *dir = spec->box.id[0] && !spec->box.exec ? box_state_dir(e) : NULL;
	enum net_mode *mode = &spec->profile.net;
	int r = 0;

	*mode = spec->origin->rules.profile.net;
	if (spec->box.id[0] && !spec->box.exec)
		r = dir ? box_net_read(dir, spec->box.id, &of_box, e) : e->code;
	if (r == 0)
		r = net_options_read(&of_box, mode, &rules, e);
	if (r == 0)
		r = net_options_read(&w->net, mode, &rules, e);
	if (w->no_net)
		*mode = NET_NONE;
	if (r == 0)
		r = box_injected_rules(&spec->secrets.specs, &injected, e);
	if (r == 0 && injected.n)
		r = turn_on(w, &of_box, mode, e);
	if (r == 0)
		r = net_options_fill(by, &rules, spec, e);
	for (size_t i = 0; r == 0 && i < injected.n && net_mode_has_rules(*mode); i++)
		r = net_options_need(spec, injected.items[i], e);
	return r;
}

static int keep_path(struct run_spec *spec, const char *cwd, const char *path, const char **ret,
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
	r = keep_path(spec, cwd, host, &m->host, e);
	if (r == 0)
		r = keep_path(spec, cwd, *in ? in + 1 : host, &m->guest, e);
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
	int r = keep_path(spec, cwd, text, &path, e);

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

static int add_mounts(struct run_spec *spec, const char *cwd, const struct run_options *w,
		      struct aisbx_error *e)
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
static void use_state(struct run_spec *spec)
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

/* Passes variable NAME of N bytes on, if the caller has it. */
static void pass_env(struct run_spec *spec, const struct caller *by, const char *name, size_t n)
{
	for (const char *const *v = by->env; v && *v; v++)
		if (!strncmp(*v, name, n) && (*v)[n] == '=')
			strlist_add(&spec->command.set_env, *v);
}

/* In "file:~/..." the home directory is meant. */
static void add_profile_secret(struct run_spec *spec, const struct profile_setting *s)
{
	const char *home = strncmp(s->value, "file:~/", 7) ? NULL : getenv("HOME");

	if (home)
		strlist_addf(&spec->secrets.specs, "%s=file:%s%s", s->name, home, s->value + 6);
	else
		strlist_addf(&spec->secrets.specs, "%s=%s", s->name, s->value);
}

static void add_profile_env(struct run_spec *spec, const struct caller *by)
{
	const struct profile_rules *rules = &spec->origin->rules;

	for (size_t i = 0; i < rules->n_values; i++) {
		const struct profile_setting *s = rules->values[i].setting;

		if (profile_value_is(rules, i, "env.pass"))
			pass_env(spec, by, s->value, strlen(s->value));
		else if (profile_value_is(rules, i, "env.set"))
			strlist_addf(&spec->command.set_env, "%s=%s", s->name, s->value);
	}
}

static int add_env(struct run_spec *spec, const struct caller *by, const struct run_options *w,
		   struct aisbx_error *e)
{
	add_profile_env(spec, by);
	for (size_t i = 0; i < w->env.n; i++) {
		const char *text = w->env.items[i];
		size_t n = strcspn(text, "=");

		if (!n)
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				"'%s' is not of the form NAME or NAME=VALUE, such as --env PORT=80", text);
		if (text[n])
			strlist_add(&spec->command.set_env, text);
		else
			pass_env(spec, by, text, n);
	}
	return 0;
}

static int no_wall(const char *name, struct aisbx_error *e)
{
	const char *names[WALL_COUNT], *near;

	for (enum wall i = 0; i < WALL_COUNT; i++)
		names[i] = wall_name(i);
	near = str_nearest(name, names, WALL_COUNT);
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "there is no wall '%.60s'", name);
	return near ? aisbx_hint(e, "did you mean '%s'?", near) : aisbx_hint(e, "'aisbx doctor' lists them");
}

static int add_without(struct run_spec *spec, const struct run_options *w, struct aisbx_error *e)
{
	for (size_t i = 0; i < w->without.n; i++) {
		const char *name = w->without.items[i];
		enum wall wall = wall_by_name(name);

		if (wall == WALL_COUNT)
			return no_wall(name, e);
		if (WALL_ALWAYS & (1u << wall))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "a box cannot be built without the wall '%s'; omit --without %s",
					    name, name);
		spec->walls.without |= 1u << wall;
	}
	return 0;
}

/* The box of another run has its network; who wants more ports of it asks for them. */
static int add_publish(struct run_spec *spec, const struct run_options *w, struct aisbx_error *e)
{
	for (size_t i = 0; i < w->publish.n; i++) {
		struct net_port p;
		int r = net_publish_read(w->publish.items[i], &p, e);

		if (r < 0)
			return r;
		strlist_addf(&spec->net.publish, "%u:%u", p.host, p.box);
	}
	return spec->net.publish.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "publish ports") : 0;
}

/* Limits of a plan, and of the kernel for one word. */
static int check_words(const struct strlist *argv, struct aisbx_error *e)
{
	if (argv->n > JAIL_PLAN_MAX_STRINGS)
		return aisbx_refuse(
			e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, E2BIG,
			"the command has %zu words, and at most %u are allowed; put them into a file, or "
			"split them with 'xargs' inside: aisbx run -- xargs COMMAND < FILE",
			argv->n, JAIL_PLAN_MAX_STRINGS);
	for (size_t i = 0; i < argv->n; i++)
		if (strlen(argv->items[i]) >= MAX_WORD)
			return aisbx_refuse(
				e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, E2BIG,
				"word %zu of the command has %zu bytes, and no program can be given more "
				"than %u in one; put it into a file, or into standard input",
				i + 1, strlen(argv->items[i]), MAX_WORD - 1);
	return 0;
}

/*
 * An image's entrypoint comes before the command of a run that is removed with it; in a box that stays
 * commands are what they are. Without a command it is the image's own.
 */
static void add_image_words(struct run_spec *spec, const struct run_options *w,
			    const struct image_settings *image)
{
	if (!spec->walls.image || spec->box.exec || spec->box.purpose || (w->box && w->command.n))
		return;
	for (size_t i = 0; i < image->entrypoint.n; i++)
		strlist_add(&spec->command.argv, image->entrypoint.items[i]);
	for (size_t i = 0; !w->command.n && i < image->command.n; i++)
		strlist_add(&spec->command.argv, image->command.items[i]);
}

static int add_command(struct run_spec *spec, const struct run_options *w, const struct image_settings *image,
		       struct aisbx_error *e)
{
	const struct profile_rules *rules = &spec->origin->rules;

	for (size_t i = 0; i < rules->n_values && !spec->box.exec && !spec->box.purpose; i++)
		if (profile_value_is(rules, i, "entrypoint"))
			strlist_add(&spec->command.argv, rules->values[i].setting->value);
	add_image_words(spec, w, image);
	for (size_t i = 0; i < w->command.n; i++)
		strlist_add(&spec->command.argv, w->command.items[i]);
	if (spec->command.argv.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "prepare the run");
	if (!spec->command.argv.n && w->image)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"the image has no command of its own; write 'aisbx run --image %.200s -- COMMAND'",
			w->image);
	if (!spec->command.argv.n || !*spec->command.argv.items[0])
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "no command given; write 'aisbx run -- COMMAND', or 'aisbx shell' for a "
				    "shell in a box");
	return check_words(&spec->command.argv, e);
}

static int box_specs(struct run_spec *spec, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = box_state_dir(e);

	return dir ? box_secret_specs_read(dir, spec->box.id, &spec->secrets.specs, e) : e->code;
}

/* The broker of a live box is another run's, and knows what that was given. */
static int refuse_injected(const struct strlist *specs, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist rules = { 0 };
	int r = box_injected_rules(specs, &rules, e);

	return r < 0 || !rules.n
		       ? r
		       : aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EOPNOTSUPP,
				      "a live box gets no further secret with 'inject'; give it to the run "
				      "that starts the box, or to 'aisbx create'");
}

/* What the profile names comes first, then what the box was made with, so that an option can name another
 * source for it. */
static int list_secrets(struct run_spec *spec, const struct run_options *w, struct aisbx_error *e)
{
	const struct profile_rules *rules = &spec->origin->rules;
	bool none = spec->box.exec || spec->box.purpose; /* the box has them: who started it read them */
	int r = 0;

	for (size_t i = 0; i < rules->n_values && !none; i++)
		if (profile_value_is(rules, i, "secrets"))
			add_profile_secret(spec, rules->values[i].setting);
	if (spec->box.id[0] && !none)
		r = box_specs(spec, e);
	for (size_t i = 0; i < w->secret.n; i++)
		strlist_add(&spec->secrets.specs, w->secret.items[i]);
	if (r == 0 && spec->secrets.specs.failed)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the secrets");
	return r == 0 && spec->box.exec ? refuse_injected(&spec->secrets.specs, e) : r;
}

static int take_image(struct box_state *s, const char *id, const char *top, struct run_spec *spec,
		      struct image_settings *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct store_layer *chain = NULL;
	size_t n = 0;
	int r = store_layer_chain(s->store, top, &chain, &n, e);

	return r < 0 ? r : box_image_apply(s, id, chain, n, spec, ret, e);
}

/* A run on top of an image, without a box. */
static int take_image_alone(struct run_spec *spec, const char *key, const char *ids,
			    struct image_settings *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	struct store_image image = { 0 };
	bool sub = false;
	int r = box_ids_read(ids, &sub, e);

	if (r == 0)
		r = box_state_open(&state, e);

	if (r == 0)
		r = box_image_resolve(&state, key, &image, e);
	if (r == 0 && sub)
		r = box_image_for_subids(&state, &image, e);
	if (r == 0)
		r = take_image(&state, image.id, image.top, spec, ret, e);
	store_image_finish(&image);
	return r;
}

/* A run in a box that stays takes project and profile from it. */
static int take_box(struct run_spec *spec, const char *key, const char *project, struct store_box *ret,
		    bool *ret_no_caches, struct image_settings *ret_image, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	int r;

	if (project)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the project of a box is set when it is made; omit --project");
	r = box_state_open(&state, e);
	if (r == 0)
		r = box_find(&state, key, ret, e);
	if (r == 0 && ret->project)
		r = keep_path(spec, "/", ret->project, &spec->walls.project, e);
	if (r == 0 && ret->image[0])
		r = take_image(&state, ret->image, ret->top, spec, ret_image, e);
	spec->box.key = key;
	memcpy(spec->box.id, ret->id, sizeof(spec->box.id));
	memcpy(spec->box.name, ret->name, sizeof(spec->box.name));
	*ret_no_caches = r == 0 && box_no_caches(state.dir, ret->id);
	return r;
}

static int take_services(struct run_spec *spec, const char *cwd, const struct run_options *w,
			 struct aisbx_error *e)
{
	spec->command.no_services = w->no_services;
	if (w->services && spec->command.no_services)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--services and --no-services contradict each other; give one");
	return w->services ? keep_path(spec, cwd, w->services, &spec->command.services_file, e) : 0;
}

/* The directory that the command starts in, or that its own is relative to. */
static const char *start_of(const struct caller *by, const struct run_options *w, const struct run_spec *spec)
{
	const char *project = spec->walls.project,
		   *here = w->here && (spec->box.exec || !w->project) ? box_here_cwd(by, project) : NULL;

	return here ? here : project ? project : spec->walls.image ? spec->walls.image->cwd : "/";
}

/* What a run gets of who asks for it, on another system: the words about the terminal. */
static void add_image_env(struct run_spec *spec, const struct caller *by, const struct image_settings *image)
{
	static const char *const names[] = { "TERM", "COLORTERM", "NO_COLOR" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		pass_env(spec, by, names[i], strlen(names[i]));
	for (size_t i = 0; i < image->env.n; i++)
		strlist_add(&spec->command.set_env, image->env.items[i]);
}

/* Which box, which image, and which project on it. */
static int take_ground(const struct run_options *w, struct run_spec *spec, struct store_box *ret_box,
		       bool *ret_no_caches, struct image_settings *ret_image, struct aisbx_error *e)
{
	if (w->box && w->image)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"--box and --image contradict each other: a box stands on what it was made "
			"from; give one");
	if (w->ids && !w->image)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--ids is for runs on an image; give --image, or omit it");
	if (w->box)
		return take_box(spec, w->box, w->project, ret_box, ret_no_caches, ret_image, e);
	return w->image ? take_image_alone(spec, w->image, w->ids, ret_image, e) : 0;
}

int box_spec_fill(const struct caller *by, const struct run_options *w, struct run_spec *spec,
		  struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box box = { 0 };
	scoped(image_settings_finish) struct image_settings image = { 0 };
	bool no_caches = false;
	int r = take_ground(w, spec, &box, &no_caches, &image, e);

	if (r == 0)
		r = set_profile(by, w, w->box ? box.profile : NULL, spec, e);
	if (no_caches)
		spec->profile.caches = false;
	if (r == 0 && !w->box && (!w->image || w->project)) /* on an image only where somebody asks for it */
		r = keep_path(spec, by->cwd, w->project ? w->project : caller_project(by),
			      &spec->walls.project, e);
	if (r == 0)
		r = keep_path(spec, start_of(by, w, spec), w->cwd ? w->cwd : ".", &spec->command.cwd, e);
	if (r == 0)
		r = list_secrets(spec, w, e);
	if (r == 0)
		r = set_net(by, w, spec, e);
	if (r == 0)
		r = add_mounts(spec, by->cwd, w, e);
	if (r == 0)
		use_state(spec);
	if (r == 0 && spec->walls.image)
		add_image_env(spec, by, &image);
	if (r == 0)
		r = add_env(spec, by, w, e);
	if (r == 0)
		r = net_options_tell(by, &w->net, spec, e);
	if (r == 0)
		r = add_without(spec, w, e);
	if (r == 0)
		r = add_publish(spec, w, e);
	if (r == 0)
		r = add_command(spec, w, &image, e);
	if (r < 0)
		return r;
	r = take_services(spec, by->cwd, w, e);
	if (r == 0)
		r = box_secrets_read(&spec->secrets, by->cwd, by->env, e);
	if (r == 0)
		r = box_injected_fill(by, spec, e);
	if (r == 0)
		r = project_secrets_add(spec, e);
	if (r < 0)
		return r;
	if (spec->secrets.n) /* once for all that is told of the run; without memory who needs it fails */
		spec->secrets.redactor = redactor_create(spec->secrets.items, spec->secrets.n);
	if (!w->box)
		snprintf(spec->box.name, sizeof(spec->box.name), "%s",
			 w->box_name         ? w->box_name
			 : spec->run_name[0] ? spec->run_name
					     : spec->run_id);
	spec->box.driver = w->driver;
	spec->command.env = spec->walls.image ? NULL : by->env;
	spec->io.tty = w->tty;
	spec->io.uncut = w->tty && !(w->limited & (1u << LIMIT_OUTPUT));
	spec->io.output_listener = w->output_listener;
	spec->io.output_listener_ctx = w->output_listener_ctx;
	spec->io.stdin_fd = by->stdin_fd;
	spec->io.out_fds[0] = by->out_fds[0];
	spec->io.out_fds[1] = by->out_fds[1];
	if (spec->command.set_env.failed || spec->walls.hides.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "prepare the run");
	return 0;
}
