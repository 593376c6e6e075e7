/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses before anything has run, and never in the middle: a program is given to WebAssembly only if nothing
 * that was found in it, or asked for it, needs more than that has.
 */
#include "box/code_choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/box.h"
#include "wasm/install.h"
#include "wasm/offer.h"

const char *const code_drivers[] = { "native", "wasm", "auto", NULL };

static void choose(struct code_choice *c, const char *driver, const char *name, const char *why)
{
	c->driver = driver;
	if (name)
		snprintf(c->why, sizeof(c->why), "'%.60s' %s", name, why);
	else
		snprintf(c->why, sizeof(c->why), "%s", why);
}

/* What the box is to have; NULL: nothing that WebAssembly lacks. */
static const char *box_needs(const struct run_spec *spec)
{
	for (size_t i = 0; i < spec->walls.n_mounts; i++)
		if (spec->walls.mounts[i].device)
			return "a device is to be shown";
	return spec->profile.net > NET_LOOPBACK || spec->net.publish.n ? "a network is to be there"
	       : spec->walls.image                                     ? "it is to run on an image"
	       : spec->walls.without & WALL_BIT(NET)                   ? "the host's network is to be there"
								       : NULL;
}

/* A module or text that is only known at run time. */
static bool imports_unknown(const struct fact *f)
{
	return f->kind == FACT_HIDDEN && (strstr(f->name, "import") || strstr(f->name, "require"));
}

static bool program_needs(const char *lang, const struct facts *facts, struct code_choice *ret)
{
	for (size_t i = 0; i < facts->n; i++) {
		const struct fact *f = &facts->list[i];
		const char *why = NULL;

		if (f->kind == FACT_IMPORT)
			why = wasm_lacks_module(lang, f->name);
		else if (f->kind == FACT_CALL || f->kind == FACT_USE)
			why = wasm_lacks_function(lang, f->name);
		else if (f->kind == FACT_COMMAND)
			why = "needs processes";
		else if (f->kind == FACT_UNREAD)
			why = "ended the scan before the program's end";
		else if (imports_unknown(f))
			why = "imports what only its run can tell";
		if (why) {
			choose(ret, "native", f->name, why);
			return true;
		}
	}
	return false;
}

static int is_added(const char *lang, bool *ret, struct aisbx_error *e)
{
	const struct wasm_language *l = wasm_language_of(lang);
	scoped(wasm_installed_finish) struct wasm_installed there = { 0 };
	scoped(drop_mem) char *state = l ? box_state_dir(e) : NULL;
	int r = l && !state ? e->code : l ? wasm_installed(state, l, &there, e) : 0;

	*ret = there.is_there;
	return r;
}

int code_choose(const char *asked, const char *lang, const struct run_spec *spec, const struct facts *facts,
		struct code_choice *ret, struct aisbx_error *e)
{
	bool there = false;
	const char *needs = box_needs(spec);
	int r;

	if (!asked)
		return 0;
	if (strcmp(asked, "auto") != 0) {
		if (!strcmp(asked, "wasm") && !wasm_language_of(lang))
			return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EOPNOTSUPP,
					    "the driver 'wasm' has no %s; it runs python and javascript",
					    lang);
		choose(ret, !strcmp(asked, "wasm") ? "wasm" : "native", NULL, "it was asked for");
		return 0;
	}
	if (!wasm_language_of(lang)) {
		choose(ret, "native", lang, "is no language of WebAssembly's");
		return 0;
	}
	r = is_added(lang, &there, e);
	if (r < 0)
		return r;
	if (!there)
		choose(ret, "native", wasm_language_of(lang)->name,
		       "was not added; 'aisbx lang add' does that");
	else if (needs)
		choose(ret, "native", NULL, needs);
	else if (!facts)
		choose(ret, "native", NULL, "nobody has looked what it needs");
	else if (!program_needs(lang, facts, ret))
		choose(ret, "wasm", NULL, "it needs nothing that WebAssembly lacks");
	return 0;
}
