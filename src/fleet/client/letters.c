/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the active hub for dead letters. */
#include "fleet/client/letters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"

#define ASK_MS 12000 /* longer than the hub waits for the engine */
/* Pages that are read; a hub that never ends is none. */
#define PAGES_MOST 100000

static void drop_json(json_t **json)
{
	json_decref(*json);
}

int letters_connect(const struct fleet_options *o, struct bus **ret, struct aisbx_error *e)
{
	char name[FLEET_NAME];

	fleet_options_fresh_name("l-", name);
	return fleet_options_connect(o, o->all_tenants ? BUS_ADMIN : BUS_SUBMITTER, name, 0, ret, e);
}

/* TENANT NULL: of all. */
static int ask(struct bus *bus, const char *what, const char *tenant, json_t *asked, json_t **ret,
	       struct aisbx_error *e)
{
	scoped(drop_mem) char *question = asked ? json_dumps(asked, JSON_COMPACT) : NULL;
	scoped(drop_mem) char *text = NULL;
	char subject[160];
	const char *wrong;
	size_t len = 0;
	int r;

	json_decref(asked);
	if (!question)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "ask for dead letters");
	snprintf(subject, sizeof(subject), "aisbx.ask.%s%s%s", what, tenant ? "." : "", tenant ? tenant : "");
	r = bus_request(bus, subject, question, strlen(question), ASK_MS, &text, &len, e);
	if (r < 0)
		return aisbx_refuse(
			e, AISBX_KIND_TIMEOUT, AISBX_AREA_RUN, ETIMEDOUT,
			"no hub has answered the question about dead letters; is one active, and may this "
			"user ask? 'aisbx fleet status' says; --all-tenants is for admins");
	*ret = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	wrong = json_string_value(json_object_get(*ret, "error"));
	if (json_is_object(*ret) && !wrong)
		return 0;
	r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO, "read dead letters: %.200s",
			 wrong ? wrong : "the hub's answer is no JSON");
	json_decref(*ret);
	*ret = NULL;
	return r;
}

int letters_list(struct bus *bus, const struct fleet_options *o, const char *job, json_t **ret,
		 struct aisbx_error *e)
{
	scoped(drop_json) json_t *rows = json_array();
	json_int_t after = 0;
	int r = 0;

	for (unsigned page = 0; r == 0 && page < PAGES_MOST; page++) {
		scoped(drop_json) json_t *said = NULL;
		json_int_t next;

		r = ask(bus, "dead", o->all_tenants ? NULL : o->tenant,
			json_pack("{s:s*, s:I}", "job", job, "after", after), &said, e);
		if (r == 0 && json_array_extend(rows, json_object_get(said, "letters")) < 0)
			r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
					 "the hub's answer has no letters");
		next = json_integer_value(json_object_get(said, "next"));
		if (next <= after)
			break;
		after = next;
	}
	if (r == 0)
		*ret = json_incref(rows);
	return r;
}

int letters_find(struct bus *bus, const struct fleet_options *o, const char *job, json_t **ret_rows,
		 const json_t **ret, struct aisbx_error *e)
{
	int r = fleet_is_name(job) ? letters_list(bus, o, job, ret_rows, e) : 0;

	if (r < 0)
		return r;
	if (json_array_size(*ret_rows) > 1)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOTUNIQ,
			"several tenants have a dead letter '%.70s'; 'aisbx fleet dead' lists them", job);
	*ret = json_array_get(*ret_rows, 0);
	if (*ret && fleet_is_name(json_string_value(json_object_get(*ret, "tenant")) ?: ""))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
			    "there is no dead letter '%.70s' that can be read; 'aisbx fleet dead' lists them",
			    job);
}

static const char *text_of(const json_t *row, const char *name)
{
	return json_string_value(json_object_get(row, name));
}

int letters_read(struct bus *bus, const json_t *row, struct wire_letter *ret, struct aisbx_error *e)
{
	scoped(drop_json) json_t *said = NULL;
	scoped(drop_mem) char *text = NULL;
	int r = ask(bus, "letter", text_of(row, "tenant"), json_pack("{s:s}", "job", text_of(row, "job")),
		    &said, e);

	if (r < 0)
		return r;
	text = json_dumps(json_object_get(said, "letter"), JSON_COMPACT);
	return wire_letter_decode(text ? text : "", text ? strlen(text) : 0, ret, e);
}

int letters_forget(struct bus *bus, const json_t *row, struct aisbx_error *e)
{
	scoped(drop_json) json_t *said = NULL;

	return ask(bus, "forget", text_of(row, "tenant"),
		   json_pack("{s:s, s:O}", "job", text_of(row, "job"), "place",
			     json_object_get(row, "place")),
		   &said, e);
}
