/* SPDX-License-Identifier: Apache-2.0 */
/* A wish into the specification of its run: paths made absolute, sizes to numbers, profile changed where
 * asked. */
#include "box/run_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/here.h"
#include "box/image.h"
#include "box/image_ids.h"
#include "box/injected.h"
#include "box/net_options.h"
#include "box/no_caches.h"
#include "box/owner.h"
#include "box/project_secrets.h"
#include "box/secret_specs.h"
#include "box/spec_parts.h"
#include "box/variables.h"
#include "driver/driver.h"

/* With its NUL: MAX_ARG_STRLEN of the kernel. */
#define MAX_WORD 131072u

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
	scoped(drop_mem) char *dir = NULL;

	add_profile_env(spec, by);
	if (spec->box.id[0] && !spec->box.purpose) { /* a command's, not those of aisbx's own program */
		dir = box_state_dir(e);
		if (!dir || box_variables_read(dir, spec->box.id, &spec->command.set_env, e) < 0)
			return e->code;
	}
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
		r = spec_path(spec, "/", ret->project, &spec->walls.project, e);
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
	return w->services ? spec_path(spec, cwd, w->services, &spec->command.services_file, e) : 0;
}

/* The directory that the command starts in, or that its own is relative to. */
static const char *start_of(const struct caller *by, const struct run_options *w, const struct run_spec *spec)
{
	const char *project = spec->walls.project,
		   *here = w->here && (spec->box.exec || !w->project) ? box_here_cwd(by, project) : NULL;

	return here ? here : project ? project : spec->walls.image ? spec->walls.image->cwd : "/";
}

/*
 * Who works on the person's project is the person to git. As the system's settings, which those of the box
 * come after; the image's own are included.
 */
static void add_image_git(struct run_spec *spec)
{
	const char *home = getenv("HOME");
	scoped(buf_finish) struct buf text = { 0 };

	if (!home || !spec->walls.project || spec->profile.env != ENV_ALL_BUT_SECRETS)
		return;
	home_git_identity(home, &text);
	if (!text.len || text.failed)
		return;
	buf_addf(&text, "[include]\n\tpath = /etc/gitconfig\n");
	spec->walls.image->git = buf_str(&text) ? take_mem(&text.data) : NULL;
	if (spec->walls.image->git)
		strlist_add(&spec->command.set_env, "GIT_CONFIG_SYSTEM=" RUN_GIT_FILE);
}

/* What a run gets of who asks for it, on another system: the words about the terminal. */
static void add_image_env(struct run_spec *spec, const struct caller *by, const struct image_settings *image)
{
	static const char *const names[] = { "TERM", "COLORTERM", "NO_COLOR" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		pass_env(spec, by, names[i], strlen(names[i]));
	for (size_t i = 0; i < image->env.n; i++)
		strlist_add(&spec->command.set_env, image->env.items[i]);
	add_image_git(spec);
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
		r = spec_profile(by, w, w->box ? box.profile : NULL, spec, e);
	if (no_caches)
		spec->profile.caches = false;
	if (r == 0 && !w->box && (!w->image || w->project)) /* on an image only where somebody asks for it */
		r = spec_path(spec, by->cwd, w->project ? w->project : caller_project(by),
			      &spec->walls.project, e);
	if (r == 0)
		r = spec_path(spec, start_of(by, w, spec), w->cwd ? w->cwd : ".", &spec->command.cwd, e);
	if (r == 0)
		r = list_secrets(spec, w, e);
	if (r == 0)
		r = spec_net(by, w, &image.policy, spec, e);
	if (r == 0)
		r = spec_mounts(spec, by->cwd, w, e);
	if (r == 0)
		spec_state(spec);
	if (r == 0 && spec->walls.image)
		add_image_env(spec, by, &image);
	if (r == 0)
		r = add_env(spec, by, w, e);
	if (r == 0)
		r = net_options_tell(by, &w->net, spec, e);
	if (r == 0)
		r = add_without(spec, w, e);
	if (r == 0)
		r = spec_publish(spec, w, &image.policy, e);
	if (r == 0)
		r = add_command(spec, w, &image, e);
	if (r < 0)
		return r;
	r = take_services(spec, by->cwd, w, e);
	if (r == 0)
		r = box_secrets_read(&spec->secrets, by->cwd, by->env, by->given, e);
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
	if (driver_is_for_persons(w->driver) && by->owner && !by->person)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_RUN, EPERM,
				    "the driver '%s' is chosen by a person on the command line only",
				    w->driver);
	spec->command.env = spec->walls.image ? NULL : by->env;
	spec->io.tty = w->tty;
	if (w->rows || w->cols) {
		spec->io.rows = w->rows ? w->rows : 24;
		spec->io.cols = w->cols ? w->cols : 80;
	}
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
