/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of the fleet, as they must be. A setting that this version does not know stays as somebody made
 * it. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "fleet/bus/parts.h"

#define WAIT_MS        20000 /* a cluster that has just begun chooses leaders first */
#define ASK_MS         5000
#define NOT_FOUND      JSStreamNotFoundErr
#define HISTORY_AGE_MS (UINT64_C(90) * 24 * 3600 * 1000)

struct stream {
	const char *name, *subject;
	uint64_t per_subject; /* 0: as many as there are */
	uint64_t age_ms;      /* 0: for ever */
	bool refuses;         /* what does not fit, instead of dropping the oldest */
};

static void drop_json(json_t **json)
{
	json_decref(*json);
}

/* RET is the answer, an object. */
static int call(struct bus *bus, const char *what, const char *name, const json_t *args, json_t **ret,
		struct aisbx_error *e)
{
	scoped(drop_mem) char *text = args ? json_dumps(args, JSON_COMPACT) : NULL, *answer = NULL;
	uint64_t until = time_ms() + WAIT_MS;
	char subject[128];
	size_t len = 0;
	int r;

	snprintf(subject, sizeof(subject), "$JS.API.STREAM.%s.%s", what, name);
	do {
		r = bus_request(bus, subject, text, text ? strlen(text) : 0, ASK_MS, &answer, &len, e);
		if (r < 0)
			nats_Sleep(200);
	} while ((r == -ENOENT || r == -ETIMEDOUT) && time_ms() < until);
	if (r == -ENOENT || r == -ETIMEDOUT)
		return aisbx_hint(e, "does this NATS server have JetStream ('jetstream {}' in its "
				     "configuration), for this "
				     "account, and do most servers of its cluster run?");
	if (r < 0)
		return r;
	*ret = json_loadb(answer, len, JSON_REJECT_DUPLICATES, NULL);
	if (json_is_object(*ret))
		return 0;
	json_decref(*ret);
	*ret = NULL;
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_SYS, EBADMSG,
			    "JetStream's answer to %s is no JSON", subject);
}

static int code_of(const json_t *answer)
{
	return (int)json_integer_value(json_object_get(json_object_get(answer, "error"), "err_code"));
}

static json_t *config_of(const struct stream *s, unsigned replicas)
{
	json_t *config = json_pack("{s:s, s:[s], s:s, s:s, s:s, s:b, s:I, s:I, s:I}", "name", s->name,
				   "subjects", s->subject, "retention", "limits", "storage", "file",
				   "discard", s->refuses ? "new" : "old", "allow_direct", 1, "num_replicas",
				   (json_int_t)replicas, "max_msgs_per_subject",
				   s->per_subject ? (json_int_t)s->per_subject : (json_int_t)-1, "max_age",
				   (json_int_t)s->age_ms * 1000000);

	if (config && s->refuses && s->per_subject)
		json_object_set_new(config, "discard_new_per_subject", json_true());
	return config;
}

/* What cannot be changed, or what somebody made for another purpose. */
static int check(const struct stream *s, const json_t *config, const json_t *wanted, struct aisbx_error *e)
{
	static const char *const fixed[] = { "subjects", "retention", "storage" };

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		const json_t *is = json_object_get(config, fixed[i]),
			     *should = json_object_get(wanted, fixed[i]);
		scoped(drop_mem) char *is_text = NULL, *should_text = NULL;

		if (json_equal(is, should))
			continue;
		is_text = json_dumps(is, JSON_ENCODE_ANY | JSON_COMPACT);
		should_text = json_dumps(should, JSON_ENCODE_ANY | JSON_COMPACT);
		return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_SYS, EEXIST,
				    "the stream %s is there but not the fleet's: its %s is %s, not %s; if "
				    "nobody needs it remove it "
				    "(`nats stream rm %s`), else give the fleet a NATS account of its own",
				    s->name, fixed[i], is_text ? is_text : "missing",
				    should_text ? should_text : "", s->name);
	}
	return 0;
}

static int refused(const struct stream *s, const char *what, const json_t *answer, struct aisbx_error *e)
{
	const char *why = json_string_value(json_object_get(json_object_get(answer, "error"), "description"));

	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_SYS, EIO, "%s the stream %s: %s", what,
			    s->name, why ? why : "JetStream does not say why it cannot");
}

/* Changes what differs, and keeps the rest. */
static int change(struct bus *bus, const struct stream *s, json_t *config, json_t *wanted,
		  struct aisbx_error *e)
{
	scoped(drop_json) json_t *before = json_deep_copy(config), *answer = NULL;
	int r;

	json_object_update(config, wanted);
	if (json_equal(before, config))
		return 0;
	r = call(bus, "UPDATE", s->name, config, &answer, e);
	if (r == 0 && json_object_get(answer, "error"))
		r = refused(s, "change", answer, e);
	return r;
}

static int set_up(struct bus *bus, const struct stream *s, unsigned replicas, struct aisbx_error *e)
{
	scoped(drop_json) json_t *wanted = config_of(s, replicas), *info = NULL, *made = NULL;
	json_t *config;
	int r;

	if (!wanted)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "describe the stream %s", s->name);
	r = call(bus, "INFO", s->name, NULL, &info, e);
	if (r < 0)
		return r;
	if (code_of(info) == NOT_FOUND) {
		r = call(bus, "CREATE", s->name, wanted, &made, e);
		if (r < 0 || !json_object_get(made, "error"))
			return r;
		/* Another hub may have been first. */
		json_decref(info);
		info = NULL;
		r = call(bus, "INFO", s->name, NULL, &info, e);
		if (r < 0)
			return r;
		if (json_object_get(info, "error"))
			return refused(s, "make", made, e);
	}
	config = json_object_get(info, "config");
	if (!json_is_object(config))
		return refused(s, "look at", info, e);
	r = check(s, config, wanted, e);
	return r < 0 ? r : change(bus, s, config, wanted, e);
}

int bus_setup(struct bus *bus, const struct bus_streams *streams, struct aisbx_error *e)
{
	const struct stream all[] = {
		{ STREAM_JOBS, "aisbx.jobs.*.*", streams->lane_cap, 0, true },
		{ STREAM_STATE, "aisbx.state.*.*", 1, streams->record_age_ms, false },
		{ STREAM_DEAD, "aisbx.dead.*.*", 1, streams->record_age_ms, false },
		{ STREAM_TERM, SUBJECT_TERM, 1, 0, false },
		/* Nodes send it in order and keep what is not taken: better refused than dropped. */
		{ STREAM_HISTORY, "aisbx.history.>", 0, HISTORY_AGE_MS, true },
	};

	if (streams->lane_cap == 0 || streams->lane_cap > INT64_MAX ||
	    (streams->replicas != 1 && streams->replicas != 3 && streams->replicas != 5))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"streams need a lane that holds 1 job or more, and 1, 3 or 5 replicas, not %" PRIu64
			" and %u",
			streams->lane_cap, streams->replicas);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int r = set_up(bus, &all[i], streams->replicas, e);

		if (r < 0)
			return r;
	}
	return 0;
}
