/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what a request names, locks it, and calls chain.c; what belongs to a box besides its rows and layers
 * is made and removed with it.
 */
#include "box/lifecycle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/meter.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/can_run.h"
#include "box/from.h"
#include "box/image_ids.h"
#include "box/image.h"
#include "box/image_rules.h"
#include "box/owner.h"
#include "box/recorded.h"
#include "box/integrity.h"
#include "box/metadata.h"
#include "box/net_options.h"
#include "box/no_caches.h"
#include "box/secret_specs.h"
#include "box/variables.h"

void box_created_finish(struct box_created *c)
{
	store_box_finish(&c->box);
	project_secret_files_finish(&c->secret_files);
}

static int check_project(const char *path, struct aisbx_error *e)
{
	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "create a box");
	if (!buf_is_utf8(path))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				    "the path of the project is not UTF-8; boxes cannot be made for it yet");
	return box_can_run(path, e);
}

static int load_profile(const char *cwd, const char *ref, struct box_profile *ret, struct aisbx_error *e)
{
	int r = box_profile_load(ref, cwd, NULL, ret, e);

	if (r == 0 && strlen(ret->ref) > STORE_NAME_MAX)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENAMETOOLONG,
				 "the path of profile '%.100s' is too long to be stored with a box; put the "
				 "file into ~/.config/aisbx/profiles and use its name",
				 ret->ref);
	return r;
}

/* What is kept of a box besides its row. */
struct equipment {
	struct strlist specs, net, variables;
	char *metadata; /* owned; "" or NULL: none */
	bool record, no_caches;
};

static void equipment_finish(struct equipment *k)
{
	strlist_finish(&k->specs);
	strlist_finish(&k->net);
	strlist_finish(&k->variables);
	free(k->metadata);
}

static int equip(struct box_state *state, const char *id, const struct equipment *k, struct aisbx_error *e)
{
	int r = box_secret_specs_keep(state->dir, id, &k->specs, e);

	if (r == 0)
		r = box_net_keep(state->dir, id, &k->net, e);
	if (r == 0)
		r = box_variables_keep(state->dir, id, &k->variables, e);
	if (r == 0 && k->record)
		r = box_recorded_set(state->dir, id, e);
	if (r == 0 && k->no_caches)
		r = box_no_caches_set(state->dir, id, e);
	if (r == 0 && k->metadata && *k->metadata)
		r = store_metadata_set(state->store, id, k->metadata, e);
	return r;
}

/* For who made the box; it is there, whatever becomes of this. */
static void notice_secrets(const char *project, const struct profile *p, struct project_secret_files *ret)
{
	scoped(box_secrets_finish) struct run_secrets found = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (!p->plain_secret_files)
		project_secrets_find(project, NULL, &found, ret, &ignored);
}

/* A new box as a fork of another: what that decides cannot be asked for. */
static int create_fork(const char *from, const struct box_create_request *req, struct box_created *ret,
		       struct aisbx_error *e)
{
	const struct box_fork_request fork = { .from = from,
					       .name = req->name,
					       .scratch = req->scratch,
					       .ttl_ms = req->ttl_ms,
					       .shared = req->shared,
					       .drift = { .off = true } };
	scoped(box_forks_finish) struct box_forks made = { 0 };
	const char *given = req->project_given                  ? "--project"
			    : req->profile_given                ? "--profile"
			    : req->secrets && req->secrets->n   ? "--secret"
			    : req->net && req->net->n           ? "--net"
			    : req->env && req->env->n           ? "--env"
			    : req->metadata && req->metadata->n ? "--metadata"
			    : req->pin                          ? "--pin"
			    : req->autosnap                     ? "--autosnap"
			    : req->record                       ? "--record"
			    : req->no_caches                    ? "--no-caches"
								: NULL;
	int r = given ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				     "a box that starts from '%s' is a fork of it and has its project, "
				     "profile and "
				     "settings; omit %s",
				     from, given)
		      : box_fork(&fork, &made, e);

	if (r < 0)
		return r;
	ret->box = made.boxes[0];
	made.boxes[0] = (struct store_box){ 0 };
	return 0;
}

/* What stands below the layers of a new box. FROM is borrowed. */
static void take_from(const struct box_from *from, struct box_new *how)
{
	switch (from->kind) {
	case BOX_FROM_IMAGE:
		how->base = from->image.top;
		how->image = from->image.id;
		break;
	case BOX_FROM_TEMPLATE:
		how->base = from->template.row.layer;
		how->image = from->template.row.image[0] ? from->template.row.image : NULL;
		how->since = from->template.with_project ? &from->template.since : NULL;
		how->autosnap |= from->template.autosnap;
		break;
	case BOX_FROM_HOST:
	case BOX_FROM_BOX:
		break;
	}
}

/* What its runs may reach: as the template has it, and as is asked for. The profile is what it is changed by.
 */
static int settle_net(const struct box_create_request *req, const struct box_template *t,
		      struct box_profile *profile, struct strlist *ret, struct aisbx_error *e)
{
	for (size_t i = 0; t && i < t->net.n; i++)
		strlist_add(ret, t->net.items[i]);
	for (size_t i = 0; req->net && i < req->net->n; i++)
		strlist_add(ret, req->net->items[i]);
	if (ret->failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "create a box");
	return ret->n ? net_options_read(ret, &profile->rules.profile.net, NULL, e) : 0;
}

/* What only the request decides. Whether there are such secrets is seen when a run starts. */
static int settle_given(const char *cwd, const struct box_create_request *req, struct equipment *ret,
			struct aisbx_error *e)
{
	int r = req->secrets ? box_secret_specs_settle(req->secrets, cwd, &ret->specs, e) : 0;

	if (r == 0 && req->env)
		r = box_variables_settle(req->env, req->caller_env, &ret->variables, e);
	if (r == 0 && req->metadata)
		r = box_metadata_settle(req->metadata, &ret->metadata, e);
	return r;
}

/* The rest of a request that is no fork. PATH: of the project; NULL: none. */
static int create_on(const char *cwd, const struct box_create_request *req, const struct box_from *from,
		     const char *path, struct box_state *state, struct box_created *ret,
		     struct aisbx_error *e)
{
	scoped(box_profile_finish) struct box_profile profile = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	scoped(equipment_finish) struct equipment kept = { .record = req->record };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const struct box_template *t = from->kind == BOX_FROM_TEMPLATE ? &from->template : NULL;
	struct box_new how = { .name = req->name,
			       .scratch = req->scratch,
			       .project = path,
			       .ttl_ms = req->ttl_ms,
			       .autosnap = req->autosnap,
			       .shared = req->shared };
	struct box_pin pin = BOX_PIN_INIT;
	int r = load_profile(cwd, t && !req->profile_given ? t->row.profile : req->profile, &profile, e);

	take_from(from, &how);
	how.profile = profile.ref;
	if (!how.ttl_ms)
		how.ttl_ms = profile.rules.profile.limits[LIMIT_LIFETIME];
	if (r == 0)
		r = settle_net(req, t, &profile, &kept.net, e);
	if (r == 0)
		r = image_rules_keep(state, how.image ? how.image : "", &kept.net, e);
	if (r == 0)
		r = settle_given(cwd, req, &kept, e);
	kept.no_caches = req->no_caches || (t && t->no_caches);
	if (r == 0 && how.name)
		r = box_check_name(how.name, e); /* before anything is copied */
	if (r == 0 && req->pin)
		r = box_pin_make(state, path, &req->tell, &pin, e);
	if (req->pin) {
		how.pin = pin.id;
		how.pinned = pin.count.since;
	}
	if (r == 0)
		r = box_chain_create(state, &how, &box, e);
	box_pin_finish(state, &pin, r == 0);
	if (r == 0 && (r = equip(state, box.id, &kept, e)) < 0)
		box_chain_remove(state, &box, &ignored);
	if (r < 0)
		return r;
	*ret = (struct box_created){ .box = box, .pin = pin.count };
	if (path)
		notice_secrets(path, &profile.rules.profile, &ret->secret_files);
	box = (struct store_box){ 0 };
	return 0;
}

/* Of a box that is no fork: what was asked for, that of a template with its changes, or where the caller is;
 * none on an image unless it is asked for. */
static int find_project(const char *cwd, const struct box_create_request *req, const struct box_from *from,
			char **ret, struct aisbx_error *e)
{
	const struct store_template *t = &from->template.row; /* empty if it is from no template */
	bool on_image = from->kind == BOX_FROM_IMAGE || t->image[0];

	if (on_image && !t->project && !req->project_given)
		return req->pin ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					       "there is no project to pin: a box from an image has one only "
					       "with --project")
				: box_can_run(NULL, e);
	*ret = t->project && !req->project_given ? strdup(t->project)
						 : path_resolve(cwd, req->project ? req->project : ".");
	if (*ret && t->project && strcmp(t->project, *ret) != 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "template '%s' has changes of the project '%s', and is only for that one",
				    t->name, t->project);
	return check_project(*ret, e);
}

/* A fork or a template has the ids that its files belong to. */
static int take_ids(struct box_state *s, const char *word, struct box_from *from, struct aisbx_error *e)
{
	bool sub;
	int r = box_ids_read(word, &sub, e);

	if (r == 0 && word && from->kind != BOX_FROM_IMAGE)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "--ids is for boxes from images: others have the ids of what they start "
				 "from; omit it");
	return r == 0 && sub ? box_image_for_subids(s, &from->image, e) : r;
}

/* Before there is a box that nothing can run in. */
static int check_image(const struct box_from *from, struct aisbx_error *e)
{
	scoped(image_settings_finish) struct image_settings settings = { 0 };
	int r = from->kind == BOX_FROM_IMAGE ? image_settings_read(from->image.config, &settings, e) : 0;

	return r == 0 ? box_image_is_ground(&settings, e) : r;
}

int box_create(const char *cwd, const struct box_create_request *req, struct box_created *ret,
	       struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(box_from_finish) struct box_from from = { 0 };
	scoped(drop_mem) char *path = NULL;
	int r = box_state_open(&state, e);

	if (r == 0)
		r = box_from_resolve(&state, req->from, &from, e);
	if (r == 0)
		r = check_image(&from, e);
	if (r == 0)
		r = take_ids(&state, req->ids, &from, e);
	if (r == 0 && from.kind == BOX_FROM_BOX)
		return create_fork(from.box, req, ret, e);
	if (r == 0)
		r = find_project(cwd, req, &from, &path, e);
	return r < 0 ? r : create_on(cwd, req, &from, path, &state, ret, e);
}

void box_forks_finish(struct box_forks *f)
{
	for (size_t i = 0; i < f->n; i++)
		store_box_finish(&f->boxes[i]);
	free(f->boxes);
	drift_report_finish(&f->drift);
	*f = (struct box_forks){ 0 };
}

/* Of the box that forks come from; each gets a copy. What nobody is to know is not found by metadata. */
static int take_equipment(struct lookup *from, const struct box_fork_request *req, struct equipment *ret,
			  struct aisbx_error *e)
{
	scoped(box_metadata_finish) struct box_metadata_all notes = { 0 };
	const char *dir = from->state.dir, *id = from->box.id;
	int r = box_secret_specs_read(dir, id, &ret->specs, e);

	ret->no_caches = box_no_caches(dir, id);
	if (r == 0)
		r = box_net_read(dir, id, &ret->net, e);
	if (r == 0 && !req->judged)
		r = box_variables_read(dir, id, &ret->variables, e);
	if (r == 0 && !req->scratch)
		r = store_metadata_list(from->state.store, id, &notes.rows, &notes.n, e);
	if (r == 0 && notes.n) {
		ret->metadata = notes.rows[0].text;
		notes.rows[0].text = NULL;
	}
	return r;
}

static int make_forks(struct lookup *from, const struct box_fork_request *req, struct box_forks *ret,
		      struct aisbx_error *e)
{
	const uint64_t count = req->count ? req->count : 1;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist names = { 0 };
	scoped(equipment_finish) struct equipment kept = { 0 };
	scoped(drop_mem) struct box_new *how = calloc(count, sizeof(*how));
	scoped(drop_mem) struct store_box *boxes = calloc(count, sizeof(*boxes));
	int r;

	for (uint64_t i = 0; req->name && i < count; i++)
		count > 1 ? strlist_addf(&names, "%s-%llu", req->name, (unsigned long long)i + 1)
			  : strlist_add(&names, req->name);
	if (!how || !boxes || names.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "fork box '%s'", from->box.name);
	for (uint64_t i = 0; i < count; i++)
		how[i] = (struct box_new){ .name = req->name ? names.items[i] : NULL,
					   .scratch = req->scratch,
					   .profile = from->box.profile,
					   .project = from->box.project,
					   .ttl_ms = req->ttl_ms,
					   .autosnap = from->box.autosnap,
					   .shared = req->shared };
	r = take_equipment(from, req, &kept, e);
	if (r == 0)
		r = box_chain_fork(&from->state, &from->box, from->snapshot[0] ? from->snapshot : NULL, how,
				   count, boxes, e);
	if (r < 0)
		return r;
	ret->boxes = boxes;
	boxes = NULL;
	ret->n = count;
	for (size_t i = 0; r == 0 && i < ret->n; i++)
		r = equip(&from->state, ret->boxes[i].id, &kept, e);
	for (size_t i = 0; r < 0 && i < ret->n; i++)
		box_chain_remove(&from->state, &ret->boxes[i], &ignored);
	return r;
}

int box_fork(const struct box_fork_request *req, struct box_forks *ret, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup from = LOOKUP_INIT;
	scoped(box_forks_finish) struct box_forks made = { 0 };
	/* A snapshot does not change: no need to wait. */
	int r = lookup_open(req->from, !strchr(req->from, '@'), &from, e);

	if (r == 0)
		r = make_forks(&from, req, &made, e);
	if (r < 0)
		return r;
	drift_report_make(&req->drift, &from.state, &from.box, from.snapshot, &made.drift);
	*ret = made;
	made = (struct box_forks){ 0 };
	return 0;
}

void box_snapped_finish(struct box_snapped *s)
{
	drift_report_finish(&s->drift);
}

int box_snap(const struct box_snap_request *req, struct box_snapped *ret, struct aisbx_error *e)
{
	const struct drift_options options = { .ms = BOX_DRIFT_MS };
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	int r = lookup_open_box(req->box, req->as_is, &p, e);

	*ret = (struct box_snapped){ 0 };
	if (r == 0 && req->as_is)
		r = box_take_as_is(&p.state, &p.box, e);
	close_fd(&p.lock);
	if (r == 0 && req->pin) { /* what it changed under the box until now is what the box keeps */
		drift_report_make(&options, &p.state, &p.box, "", &ret->drift);
		r = box_snapshot_pin(&p.state, &p.box, req->name, &req->tell, &ret->pin, &ret->snapshot, e);
	} else if (r == 0) {
		r = box_snapshot_any(&p.state, &p.box, req->name, &ret->snapshot, e);
	}
	if (r < 0)
		box_snapped_finish(ret);
	return r;
}

void box_rolled_back_finish(struct box_rolled_back *b)
{
	drift_report_finish(&b->drift);
}

int box_rollback(const char *box, const char *snapshot, const struct drift_options *drift,
		 struct box_rolled_back *ret, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	int r = lookup_open_box(box, true, &p, e);

	if (r == 0)
		r = box_chain_rollback(&p.state, &p.box, snapshot, e);
	if (r < 0)
		return r;
	memcpy(ret->box, p.box.name, sizeof(ret->box));
	drift_report_make(drift, &p.state, &p.box, snapshot, &ret->drift);
	return 0;
}

int box_find_free(struct box_state *s, const char *key, int *ret_lock, struct store_box *ret,
		  struct aisbx_error *e)
{
	char name[BOX_KEY_MAX + 1], snapshot[STORE_NAME_MAX + 1];
	int r = box_parse_point(key, name, snapshot, e);

	if (r == 0 && snapshot[0])
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'%s' is a snapshot, but a box is needed; give '%s'", key, name);
	if (r == 0)
		r = box_find(s, name, ret, e);
	return r == 0 ? box_lock(s, ret, ret_lock, e) : r;
}

int box_remove(const struct strlist *keys, struct strlist *ret_removed, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped_meter bool meter = meter_begin("removing", 0);
	int r = box_state_open(&state, e);

	for (size_t i = 0; r == 0 && i < keys->n; i++) {
		scoped(store_box_finish) struct store_box box = { 0 };
		scoped(drop_fd) int lock = -1;

		r = box_find_free(&state, keys->items[i], &lock, &box, e);
		if (r == 0)
			r = box_chain_remove(&state, &box, e);
		if (r == 0)
			strlist_add(ret_removed, box.name);
	}
	if (ret_removed->n) { /* once for all of them, also after an error */
		struct aisbx_error late = AISBX_ERROR_INIT;
		int collected = box_collect(&state, NULL, r < 0 ? &late : e);

		r = r < 0 ? r : collected;
	}
	return r == 0 && ret_removed->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "remove boxes") : r;
}

int box_scratch_make(const char *from, const char *name, uint64_t ttl_ms, struct box_scratch *ret,
		     struct aisbx_error *e)
{
	const struct box_fork_request req = {
		.from = from, .name = name, .scratch = true, .ttl_ms = ttl_ms, .drift = { .off = true }
	};
	scoped(box_forks_finish) struct box_forks made = { 0 };
	int r = box_fork(&req, &made, e);

	if (r == 0)
		memcpy(ret->name, made.boxes[0].name, sizeof(ret->name));
	return r;
}

void box_scratch_drop(struct box_scratch *s)
{
	struct strlist key = { .items = (char *[]){ s->name }, .n = 1 };
	scoped(strlist_finish) struct strlist removed = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (s->name[0])
		box_remove(&key, &removed, &ignored); /* if not now, then by gc when its time is over */
	s->name[0] = '\0';
}
