/* SPDX-License-Identifier: Apache-2.0 */
/* A run, in a new box that is removed afterwards or in a named one that stays. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/box.h"
#include "box/disk_use.h"
#include "box/image.h"
#include "box/image_rules.h"
#include "box/image_once.h"
#include "box/injected.h"
#include "box/last_init.h"
#include "secret/fingerprints.h"
#include "box/owner.h"
#include "box/scratch_layer.h"
#include "box/pin.h"
#include "box/point.h"
#include "box/recorded.h"
#include "box/moved.h"
#include "box/integrity.h"
#include "layer/base.h"
#include "layer/layer.h"
#include "layer/unsynced.h"

/* Such runs stand in line: each is short, but there may be many. */
#define INTERNAL_RUN_LOCK_MS 30000
/* For who has the box without a run of it. Where hundreds take turns, one may come late. */
#define TURN_MS 10000

void box_spec_finish(struct run_spec *spec)
{
	free(spec->walls.own_mounts);
	run_image_free(spec->walls.image);
	strlist_finish(&spec->kept);
	strlist_finish(&spec->walls.hides);
	strlist_finish(&spec->net.rules);
	strlist_finish(&spec->command.set_env);
	strlist_finish(&spec->command.argv);
	strlist_finish(&spec->net.publish);
	box_injected_finish(&spec->net);
	box_secrets_finish(&spec->secrets);
	if (spec->origin)
		box_profile_finish(spec->origin);
	free(spec->origin);
}

void box_spec_clear(struct run_spec *spec)
{
	spec->hooks.layers = NULL;
	spec->hooks.layers_dir = NULL;
	spec->hooks.starting = NULL;
	spec->hooks.born = NULL;
	spec->hooks.box_ctx = NULL;
	spec->limits.disk = NULL;
	spec->command.services = NULL;
	spec->walls.project_copy = NULL;
	spec->io.live = false;
}

_Static_assert(RUN_NAME_MAX == STORE_NAME_MAX + 1, "as do names");
_Static_assert(RUN_ID_MAX == STORE_ID_MAX, "ids of boxes and runs come from the store");

/* Those of a file, or without any those of the profile. */
static const struct service_specs *services_of(const struct run_spec *spec,
					       const struct service_specs *of_file)
{
	const struct service_specs *of_profile = spec->origin ? spec->origin->rules.services : NULL;
	bool asked = spec->command.no_services || spec->command.services_file;

	return !of_file->n && !asked && of_profile ? of_profile : of_file;
}

static int check_project(const char *project, struct aisbx_error *e)
{
	struct stat st;

	if (!project)
		return 0;
	errno = 0;
	if (stat(project, &st) == 0 && S_ISDIR(st.st_mode) && access(project, R_OK | X_OK) == 0)
		return 0;
	aisbx_fail(e, AISBX_AREA_USAGE, errno ? errno : ENOTDIR, "project '%s'", project);
	return aisbx_hint(e, "--project names a directory of this machine that you can read");
}

/* What the driver's question about layers is answered from. */
struct layers {
	const struct box_state *state;
	const struct store_box *box;
	const char *copy; /* NULL, or what is in the project's place */
	const char **ids; /* top first */
	size_t n_ids;
	struct timespec asked; /* when, by the finest clock that files are stamped with (Linux 6.13) */
	struct box_disk_use kept;
	bool looks; /* and changes nothing */
	int top;    /* borrowed; the layer for changes, open */
	int last;   /* borrowed; where pid 1 is noted */
};

static int layers_of(void *ctx, const char *guest, const char *host, struct buf *ret_paths,
		     struct aisbx_error *e)
{
	const struct layers *l = ctx;
	bool copied = l->copy && l->box->project && !strcmp(guest, l->box->project);
	char tree[32];

	layer_tree_name(guest, l->box->project, tree, sizeof(tree));
	return layer_paths(l->state->layers, l->ids, l->n_ids, tree, copied ? l->copy : host,
			   driver_id_shift(), ret_paths, e);
}

/*
 * From now on the box may take over what the host has, and the host may change it meanwhile: this moment is
 * written down. It is later than every change before the run was asked for, which takes a tick of the coarse
 * clock, by which files are stamped at least; walls take about as long. On a busy machine that clock may lag
 * by more than a tick.
 */
static void open_window(const struct layers *l)
{
	struct aisbx_error
		ignored; /* without a window nothing is known of the run's bases: conflicts, no damage */
	scoped(drop_mem) char *dir = path_join(l->state->layers, l->ids[0]);
	struct timespec now;

	for (int i = 0; i < 500;
	     i++) { /* a clock that was set back is not waited for: then more counts as changed */
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
		if (now.tv_sec > l->asked.tv_sec ||
		    (now.tv_sec == l->asked.tv_sec && now.tv_nsec > l->asked.tv_nsec))
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	}
	if (dir)
		base_open_window(dir, &ignored);
}

/* What a box that ends at a time of its own leaves to a run in it. */
static int limit_lifetime(const struct store_box *box, struct run_spec *spec, struct aisbx_error *e)
{
	int64_t left = box->expires_ms - box_now_ms();

	if (!box->expires_ms)
		return 0;
	if (left <= 0)
		return aisbx_refuse(e, AISBX_KIND_TIMEOUT, AISBX_AREA_BOX, ETIME,
				    "box '%s' has expired (--ttl); fork it to continue with its changes",
				    box->name);
	spec->profile.limits[LIMIT_LIFETIME] = (uint64_t)left;
	return 0;
}

/* What counts is the top layer: what the box wrote since its last snapshot. */
static int open_top(const struct box_state *state, const struct store_box *box, int *ret_fd,
		    struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(state->layers, box->top);
	int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM, "open the changes of box '%s'",
				  box->name);
	*ret_fd = fd;
	return 0;
}

/* Before the box has anything of its layers. */
static int born(void *ctx, int32_t pid, struct aisbx_error *e)
{
	const struct layers *l = ctx;
	int r = box_last_init_write(l->last, pid, e);

	return r == 0 && !l->looks ? unsynced_begin(l->top, e) : r;
}

/* The walls are built. */
static void starting(void *ctx)
{
	struct layers *l = ctx;

	box_disk_use_hold(&l->kept);
	if (l->box->project && !l->looks)
		open_window(l);
}

/* Others find the run, and who comes after it finds out whether it is really over. */
static int drive(const struct driver *driver, struct run_spec *spec, struct layers *l,
		 struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(drop_fd) int last = -1;
	int r = box_last_init_open(l->state, l->box, &last, e);

	if (r == 0 && spec->io.live)
		r = box_live_open(l->state, l->box, &spec->io.live_fd, e);
	if (r < 0)
		return r;
	l->last = last;
	r = driver_run(driver, spec, ret_result, e);
	box_last_init_clear(last);
	if (spec->io.live)
		box_live_close(l->state, l->box, spec->io.live_fd);
	box_disk_use_release(&l->kept, r == 0 ? ret_result : NULL);
	return r;
}

/* A pinned box needs no real project. */
static int find_host(const struct box_state *s, const struct store_box *box, const struct store_layer *chain,
		     size_t n, char **ret, struct run_spec *spec, struct aisbx_error *e)
{
	bool pinned = false;
	int r = box->project ? box_pin_host(s, chain, n, box->project, ret, &pinned, e) : 0;

	spec->walls.project_copy = pinned ? *ret : NULL;
	return r < 0 || pinned ? r : check_project(spec->walls.project, e);
}

/* Who filled SPEC may not have known that the box stands on an image; it never stands on this machine. */
static int find_image(struct box_state *s, const struct store_box *box, const struct store_layer *chain,
		      size_t n, struct run_spec *spec, struct aisbx_error *e)
{
	scoped(image_settings_finish) struct image_settings settings = { 0 };
	int r;

	if (!box->image[0] ? !spec->walls.image
			   : spec->walls.image && !strcmp(spec->walls.image->id, box->image))
		return 0;
	if (spec->walls.image)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EINVAL,
				    "box '%s' does not stand on image '%s'", box->name,
				    spec->walls.image->id);
	r = box_image_apply(s, box->image, chain, n, spec, &settings, e);
	if (r == 0)
		r = image_rules_limit(&settings.policy, spec, e);
	image_rules_seal(&settings.policy, spec);
	if (r == 0 && spec->net.no_ports && spec->net.publish.n)
		r = image_rules_net(&settings.policy, NET_LOOPBACK, e);
	if (!net_mode_has_rules(spec->profile.net)) {
		strlist_finish(&spec->net.rules);
		spec->net.ask = false;
	}
	return r;
}

static int run_in(struct run_spec *spec, const struct driver *driver, struct box_state *state,
		  const struct store_box *box, struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(drop_mem) char *host = NULL;
	struct store_layer *chain = NULL;
	struct layers l = { .state = state, .box = box, .looks = spec->box.purpose == RUN_LOOKS };
	scoped(drop_fd) int top = -1;
	scoped(project_finish) struct project services = { 0 };
	struct aisbx_error ignored;
	struct store_snapshot snap;
	int r = open_top(state, box, &top, e);

	l.top = top;
	if (r == 0 && !l.looks)
		r = box_check_integrity(state, box, e);
	box_disk_use_init(&l.kept, top, spec->profile.limits);
	if (r == 0 && !l.looks)
		r = box_disk_use_check(&l.kept, box->name, e);
	if (r == 0)
		r = store_layer_chain(state->store, box->top, &chain, &l.n_ids, e);
	if (r == 0)
		r = find_image(state, box, chain, l.n_ids, spec, e);
	clock_gettime(CLOCK_REALTIME, &l.asked);
	if (r == 0)
		r = find_host(state, box, chain, l.n_ids, &host, spec, e);
	l.copy = spec->walls.project_copy;
	if (r == 0 && !l.copy)
		r = box_moved_require(box, spec->command.cwd, e);
	if (r == 0)
		r = limit_lifetime(box, spec, e);
	if (r < 0) {
		box_spec_clear(spec);
		free(chain);
		return r;
	}
	l.ids = calloc(l.n_ids, sizeof(*l.ids));
	for (size_t i = 0; l.ids && i < l.n_ids; i++)
		l.ids[i] = chain[i].id;
	spec->hooks.layers = layers_of;
	spec->hooks.layers_dir = state->layers;
	spec->hooks.starting = starting;
	spec->hooks.born = born;
	spec->hooks.box_ctx = &l;
	spec->limits.disk = &l.kept.disk;
	r = box_services(spec, state, box, &services, e);
	spec->command.services = services_of(spec, &services.services);
	spec->io.live = !spec->box.purpose;
	if (r == 0 && !l.ids)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "run in '%s'", box->name);
	if (r == 0)
		r = drive(driver, spec, &l, ret_result, e);
	box_spec_clear(spec);
	free(l.ids);
	free(chain);
	if (l.looks)
		return r;
	if (r < 0) { /* no command was started, but walls may have been up */
		unsynced_end(top, &ignored);
		return r;
	}
	/* What ran has run: what fails from here on must not hide its result. */
	box_settle(state, box, &ret_result->after);
	if (box->autosnap && !ret_result->after.code)
		box_snapshot(state, box, NULL, true, true, &snap, &ret_result->after);
	unsynced_end(top, ret_result->after.code ? &ignored : &ret_result->after);
	return r;
}

/* A snapshot moves the top, so the box is read once more. */
static int record_before(const struct run_spec *spec, struct box_state *state, struct store_box *box,
			 struct aisbx_error *e)
{
	int r = box_record_point(state, box, spec->box.record->before, e);

	if (r < 0)
		return r;
	store_box_finish(box);
	return store_box_find(state->store, spec->box.id, box, e);
}

/* As the one who has the box, or -EBUSY. */
static int run_first(struct run_spec *spec, const struct driver *driver, struct box_state *state,
		     struct store_box *box, struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(drop_fd) int lock = -1;
	int r = box_try_lock(state, box, &lock, e);

	if (r < 0)
		return r;
	/* Read again: before the lock was ours somebody may have moved its top. */
	store_box_finish(box);
	r = store_box_find(state->store, spec->box.id, box, e);
	if (r == 0 && spec->box.record)
		r = record_before(spec, state, box, e);
	if (r == 0)
		r = run_in(spec, driver, state, box, ret_result, e);
	if (r == 0 && spec->box.record && !ret_result->after.code)
		box_record_point(state, box, spec->box.record->after, &ret_result->after);
	if (spec->box.purpose != RUN_LOOKS)
		box_touch(state, box);
	return r;
}

/* As one more in a live box. -ENOENT: it does not live; -ESTALE: no longer. */
static int run_joined(struct run_spec *spec, const struct driver *driver, const struct box_state *state,
		      struct store_box *box, struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(drop_fd) int live = -1;
	scoped(drop_fd) int top = -1;
	struct box_disk_use kept;
	int r = box_live_connect(state, box, &live, e);

	if (r == 0 && spec->command.services_file)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
				    "box '%s' is live, with the services it was started with; omit "
				    "--services, or wait until it has ended",
				    box->name);
	if (r < 0)
		return r;
	store_box_finish(box); /* its top may have moved before it lived; now it does not */
	r = store_box_find(state->store, spec->box.id, box, e);
	if (r == 0)
		r = open_top(state, box, &top, e);
	if (r == 0)
		r = limit_lifetime(box, spec, e);
	box_disk_use_init(&kept, top, spec->profile.limits);
	spec->limits.disk = &kept.disk;
	if (spec->box.record)
		spec->box.record->joined = true;
	if (r == 0)
		r = driver_join(driver, spec, live, ret_result, e);
	box_spec_clear(spec);
	return r;
}

/* In a box that goes with the run. */
static int run_alone(struct run_spec *spec, const struct driver *driver, struct driver_result *ret_result,
		     struct aisbx_error *e)
{
	scoped(project_finish) struct project services = { 0 };
	int r = box_services(spec, NULL, NULL, &services, e);

	if (r < 0)
		return r;
	spec->command.services = services_of(spec, &services.services);
	r = spec->walls.image ? box_run_on_image(driver, spec, ret_result, e)
			      : box_run_scratch_layer(driver, spec, ret_result, e);
	box_spec_clear(spec);
	return r;
}

/* Before the box has them: what it keeps may hold them afterwards. */
static int remember_secrets(const struct run_secrets *s, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = s->n ? box_state_dir(e) : NULL;

	if (!s->n)
		return 0;
	return dir ? fingerprints_record(dir, s->items, s->n, e) : e->code;
}

int box_run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	const struct driver *driver;
	struct timespec pause = { .tv_nsec = 2000000 };
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	uint64_t until = time_ms() + (spec->box.purpose ? INTERNAL_RUN_LOCK_MS : TURN_MS);
	int r = driver_of(spec, &driver, e);

	if (r == 0 && (spec->box.key || spec->box.exec))
		r = remember_secrets(&spec->secrets, e);
	if (r < 0)
		return r;
	if (spec->box.exec)
		return driver_join(driver, spec, spec->box.exec_fd, ret_result, e);
	if (!spec->box.key) {
		r = check_project(spec->walls.project, e);
		return r < 0 ? r : run_alone(spec, driver, ret_result, e);
	}
	r = box_state_open(&state, e);
	if (r == 0)
		r = box_find(&state, spec->box.key, &box, e);
	if (r < 0)
		return r;
	/* Who has the box may be about to live, about to end, or something short like a snapshot. */
	for (;;) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = run_first(spec, driver, &state, &box, ret_result, e);
		if (r != -EBUSY || e->code)
			return r;
		r = run_joined(spec, driver, &state, &box, ret_result, e);
		if (r != -ENOENT && r != -ESTALE)
			return r;
		if (e->code && r == -ENOENT)
			return r;
		if (r == -ESTALE) /* it lived until now, and may have waited for its services */
			until = time_ms() + TURN_MS;
		if (time_ms() >= until)
			return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
					    "box '%s' is in use, but not by a run; try again, or fork the "
					    "box and use the fork",
					    box.name);
		nanosleep(&pause, NULL);
		if (pause.tv_nsec <
		    30000000) /* hundreds who wait at once shall not keep who has it from its work */
			pause.tv_nsec += pause.tv_nsec / 2;
	}
}
