/* SPDX-License-Identifier: Apache-2.0 */
/* A template comes from a registry: as an image whose label is checked before anything of it is unpacked. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/code.h"
#include "box/image_import.h"
#include "box/image_show.h"
#include "box/integrity.h"
#include "box/profiles.h"
#include "box/template.h"
#include "box/template_row.h"
#include "driver/driver.h"
#include "layer/trees.h"

#define USUAL_PROFILE "dev"

/* A pull that goes on. */
struct pull {
	const struct box_template_pull *req;
	struct template_label label;
	struct image_imported image;
};

static void pull_finish(struct pull *p)
{
	template_label_finish(&p->label);
	image_imported_finish(&p->image);
}

static int check_host(const struct template_label *l, struct aisbx_error *e)
{
	struct template_host host;
	int r = template_host_read(&host, e);

	if (r < 0)
		return r;
	if (strcmp(l->os, host.os) != 0 || strcmp(l->machine, host.machine) != 0)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, ENOTSUP,
			"template '%s' stands on a machine with %s (%s), and this one has %s (%s); "
			"its files would not fit. Templates that stand on an image run everywhere",
			l->name, l->os, l->machine, host.os, host.machine);
	if (l->system && !driver_id_shift())
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EPERM,
				    "template '%s' has changes of the system, which only boxes of root can "
				    "have",
				    l->name);
	return 0;
}

/* What is known before it is unpacked, from CONFIG of the image. */
static int check(void *ctx, const char *config, struct aisbx_error *e)
{
	struct pull *p = ctx;
	scoped(box_state_close) struct box_state s = { 0 };
	bool found = false;
	int r;

	template_label_finish(&p->label); /* of a try before */
	r = template_label_find(config, &p->label, &found, e);
	if (r == 0 && !found)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, ENOTSUP,
				 "'%.100s' is an image, not a template; 'aisbx image pull %.100s' brings it",
				 p->req->how->source, p->req->how->source);
	if (r == 0 && p->label.os)
		r = check_host(&p->label, e);
	if (r == 0)
		r = box_state_open(&s, e);
	return r == 0 ? template_check_new(&s, p->req->name ? p->req->name : p->label.name, p->req->replace,
					   e)
		      : r;
}

static bool is_within(const char *name, const char *lang)
{
	scoped(box_profile_finish) struct box_profile asked = { 0 }, usual = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	return box_profile_load(USUAL_PROFILE, "/", lang, &usual, &ignored) == 0 &&
	       box_profile_load(name, "/", lang, &asked, &ignored) == 0 &&
	       box_profile_is_within(&asked, &usual);
}

/* The profile that it asks for, if that is not more than others get, for no program; else the usual one. */
static const char *choose_profile(const struct template_label *l)
{
	bool good = l->profile && is_within(l->profile, NULL);

	for (const char *const *lang = code_languages; good && *lang; lang++)
		good = is_within(l->profile, *lang);
	return good ? l->profile : USUAL_PROFILE;
}

static char *copy(const char *text, bool *failed)
{
	char *it = text ? strdup(text) : NULL;

	*failed |= text && !it;
	return it;
}

static int fill(const struct pull *p, struct box_template *t, struct aisbx_error *e)
{
	const struct template_label *l = &p->label;
	bool failed = false;

	t->shared = p->req->shared;
	t->no_caches = l->no_caches;
	t->autosnap = l->autosnap;
	for (size_t k = 0; k < l->net.n; k++)
		strlist_add(&t->pulled.net, l->net.items[k]);
	t->pulled.reference = copy(p->image.name, &failed);
	memcpy(t->pulled.digest, p->image.image.digest, sizeof(t->pulled.digest));
	t->pulled.profile = copy(l->profile, &failed);
	t->pulled.recipe = copy(l->recipe, &failed);
	t->pulled.lock = copy(l->lock, &failed);
	snprintf(t->row.name, sizeof(t->row.name), "%s", p->req->name ? p->req->name : l->name);
	snprintf(t->row.profile, sizeof(t->row.profile), "%s", choose_profile(l));
	t->row.created_ms = box_now_ms();
	/* Not as a recipe's: 'template build' would believe that it was built here. */
	t->row.recipe = copy("", &failed);
	t->row.lock = copy("", &failed);
	t->row.settings = template_settings_text(t);
	return failed || t->pulled.net.failed || !t->row.settings
		       ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "pull a template")
		       : 0;
}

/* The trees of this machine that the image has as directories, by links to its files. */
static int make_layer(struct box_state *s, const struct pull *p, struct template_layer *own,
		      struct aisbx_error *e)
{
	int r = template_layer_merge(s, p->image.image.top, own, e);

	if (r == 0)
		r = layer_spread(s->layers, own->id, p->label.system, e);
	return r == 0 ? box_sync_layer(s, own->id, e) : r;
}

static int add(struct pull *p, struct box_template *t, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state s = { 0 };
	struct template_layer own = TEMPLATE_LAYER_INIT;
	int r = box_state_open(&s, e);

	if (r < 0)
		return r;
	if (p->label.os) {
		r = make_layer(&s, p, &own, e);
		memcpy(t->row.layer, own.id, sizeof(t->row.layer));
	} else {
		memcpy(own.on, p->image.image.top, sizeof(own.on));
		memcpy(t->row.layer, p->image.image.top, sizeof(t->row.layer));
		memcpy(t->row.image, p->image.image.id, sizeof(t->row.image));
	}
	if (r == 0)
		r = template_add(&s, &own, &t->row, p->req->replace, e);
	template_layer_drop(&s, &own);
	return r;
}

int box_template_pull(const struct box_template_pull *req, struct box_template *ret, struct aisbx_error *e)
{
	scoped(pull_finish) struct pull p = { .req = req };
	scoped(box_template_finish) struct box_template t = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct image_import how = *req->how;
	struct image_removed gone;
	int r = req->name ? box_check_name(req->name, e) : 0;

	how.from = "registry";
	how.name = NULL;
	how.check = check;
	how.check_ctx = &p;
	if (r == 0)
		r = image_import(&how, &p.image, e);
	if (r == 0)
		r = fill(&p, &t, e);
	if (r == 0)
		r = add(&p, &t, e);
	/* The template has links to all that it needs. An image that was here before stays. */
	if (p.label.os && p.image.unpacked)
		image_remove(p.image.image.id, &gone, &ignored);
	if (r < 0)
		return r;
	*ret = t;
	t = (struct box_template){ 0 };
	return 0;
}
