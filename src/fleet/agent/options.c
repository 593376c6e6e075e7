/* SPDX-License-Identifier: Apache-2.0 */
/* Options of aisbx-fleet: flag beats variable beats fleet.json. */
#include "fleet/agent/options.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/str.h"

#define TENANT "default"

#define AT(member) offsetof(struct fleet_options, member)

const struct fleet_option fleet_options_table[] = {
	{ "nats", "URL", AT(nats),
	  "the NATS servers: nats://HOST:4222, tls://HOST:4222, several with commas; default: $AISBX_NATS",
	  false },
	{ "creds", "FILE", AT(creds),
	  "credentials of NATS: a user's JWT and seed, or an nkey's seed; default: $AISBX_NATS_CREDS",
	  false },
	{ "ca", "FILE", AT(ca),
	  "certificates that the servers' must descend from; default: $AISBX_NATS_CA, or those of the system",
	  false },
	{ "key", "FILE", AT(key),
	  "what this hub or node signs with, as fleet-users makes it; default: $AISBX_FLEET_KEY", false },
	{ "hub-keys", "FILE", AT(hub_keys),
	  "public keys of hubs: nothing is taken that none of them signed; default: $AISBX_FLEET_HUB_KEYS",
	  false },
	{ "node-keys", "FILE", AT(node_keys),
	  "public keys of nodes: no other gets jobs; default: $AISBX_FLEET_NODE_KEYS", false },
	{ "tenant", "NAME", AT(tenant), "whose jobs; default: $AISBX_TENANT, or 'default'", false },
	{ "name", "NAME", AT(name), "name of this node or hub; default: of the machine, or a new one",
	  false },
	{ "labels", "A=B,C=D", AT(labels), "what this node has, for --on; 'node=NAME' it always has", false },
	{ "slots", "N", AT(slots), "jobs that run at once; default: one for each processor", false },
	{ "ahead", "N", AT(ahead),
	  "jobs that are taken beside those, to begin at once when one ends; default: 0", false },
	{ "dir", "DIR", AT(dir),
	  "where the node keeps boxes and results; default: aisbx-fleet/nodes/NAME in $XDG_STATE_HOME",
	  false },
	{ "allow", "OPERATION,...", AT(allow),
	  "further operations that jobs may use here, by their methods (box.promote)", false },
	{ "store", "STORE", AT(store),
	  "where projects and changes lie: dir:/PATH or s3://BUCKET/PREFIX; default: $AISBX_FLEET_STORE",
	  false },
	{ "store-key", "FILE", AT(store_key),
	  "the tenant's key for that store, see aisbx-content; default: $AISBX_FLEET_STORE_KEY", false },
	{ "keys", "DIR", AT(keys), "keys of tenants for the store: DIR/TENANT.key", false },
	{ "project", "DIR", AT(project),
	  "take the project along, which the current directory is in, or DIR; what the command changes in it "
	  "comes back as a box",
	  true },
	{ "base", "BOX[@SNAPSHOT]", AT(base),
	  "take the project along as this box of yours has it, or had it; what the command changes comes "
	  "back "
	  "as a fork of it",
	  false },
	{ "metrics", "ADDR:PORT", AT(metrics),
	  "figures for Prometheus at http://ADDR:PORT/metrics, for whoever reaches it; default: none",
	  false },
	{ "no-history", NULL, AT(no_history), "do not send what runs here recorded to the fleet's history",
	  false },
	{ "centre", "DSN", AT(centre),
	  "the PostgreSQL of the history: \"host=... dbname=...\" or postgresql://...; default: "
	  "$AISBX_CENTRE",
	  false },
	{ "where", "TERMS", AT(where), "\"node=a kind=run status=failed since=1d\"", false },
	{ "limit", "N", AT(limit), "rows at most; default: 100", false },
	{ "note", "TEXT", AT(note), "how it was resolved", false },
	{ "replicas", "1|3", AT(replicas), "copies of each stream; default: 1", false },
	{ "lane-cap", "N", AT(lane_cap), "jobs of a tenant that wait for one class at most; default: 100000",
	  false },
	{ "keep", "TIME", AT(keep), "results are kept so long; default: 7d", false },
	{ "shares", "FILE", AT(shares),
	  "JSON: {\"TENANT\": {\"weight\": 10, \"at_once\": 0, \"a_minute\": 0}}", false },
	{ "on", "LABELS", AT(on), "labels that the node must have, 'any', or 'node=NAME'", false },
	{ "priority", "N", AT(priority), "0 to 9, among the jobs of the tenant; default: 5", false },
	{ "attempts", "N", AT(attempts), "begun at most so often, when nodes are lost; default: 5", false },
	{ "deadline", "TIME", AT(deadline), "not begun any more after this time; default: never", false },
	{ "or-here", "TIME", AT(or_here),
	  "on this machine if no hub answers; =TIME: so long is waited, default 5s", true },
	{ "once", NULL, AT(once), "a second execution would do harm: begun once at most, else 'unknown'",
	  false },
	{ "detach", NULL, AT(detach), "print the job's id and return; see 'aisbx fleet wait'", false },
	{ "tools", "few|all", AT(tools), "tools for a model: the most useful ones, or all; default: few",
	  false },
	{ "answer-within", "TIME", AT(answer_within),
	  "return from a run that takes longer; the model can wait for it; default: 45s", false },
	{ "undo", NULL, AT(undo), "let it take jobs again", false },
	{ "all", NULL, AT(all), "all of them; of conflicts also those that were resolved", false },
	{ "all-tenants", NULL, AT(all_tenants), "as an admin: of all tenants, not of one", false },
	{ "json", NULL, AT(json), "print JSON", false },
	{ "quiet", NULL, AT(quiet), "say less", false },
	{ "help", NULL, AT(help), "show this help", false },
	{ NULL, NULL, 0, NULL, false },
};

void fleet_options_finish(struct fleet_options *o)
{
	for (size_t i = 0; i < o->n_memory; i++)
		free(o->memory[i]);
	*o = (struct fleet_options){ 0 };
}

static const struct fleet_option *find(const char *word, const char *names)
{
	const size_t len = strcspn(word, "=");

	if (!str_is_one_of_n(word, len, names))
		return NULL;
	for (const struct fleet_option *row = fleet_options_table; row->name; row++)
		if (strlen(row->name) == len && !strncmp(row->name, word, len))
			return row;
	return NULL;
}

static int unknown(const char *word, const char *names, struct aisbx_error *e)
{
	const char *known[32], *near;
	size_t n = 0;
	char bare[64];

	for (const struct fleet_option *row = fleet_options_table; row->name && n < 32; row++)
		if (str_is_one_of(row->name, names))
			known[n++] = row->name;
	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	near = str_nearest(bare, known, n);
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "there is no option '%.100s' here", word);
	return near ? aisbx_hint(e, "did you mean --%s?", near) : aisbx_hint(e, "--help lists them");
}

/* One option; *AT is moved behind it. */
static int take_one(struct fleet_options *o, const struct fleet_option *row, char ***at,
		    struct aisbx_error *e)
{
	char *word = *(*at)++, *equals = strchr(word, '=');
	void *place = (char *)o + row->at;

	if (!row->value) {
		*(bool *)place = true;
		return equals ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					     "--%s takes no value", row->name)
			      : 0;
	}
	if (!equals && row->attached) {
		*(const char **)place = "";
		return 0;
	}
	if (!equals && !**at)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--%s needs a value: --%s %s", row->name, row->name, row->value);
	*(const char **)place = equals ? equals + 1 : *(*at)++;
	return 0;
}

int fleet_options_take(struct fleet_options *o, char **words, const char *names, bool others,
		       char ***ret_rest, struct aisbx_error *e)
{
	while (*words) {
		const char *word = *words;
		const struct fleet_option *row;
		int r;

		if (!strcmp(word, "-h") && str_is_one_of("help", names)) {
			o->help = true;
			words++;
			continue;
		}
		if (strncmp(word, "--", 2) != 0 || !word[2])
			break;
		row = find(word + 2, names);
		if (!row && others)
			break;
		r = row ? take_one(o, row, &words, e) : unknown(word, names, e);
		if (r < 0)
			return r;
	}
	*ret_rest = words;
	return 0;
}

static void from_variable(const char **value, const char *name)
{
	const char *text = *value ? NULL : getenv(name);

	if (text && *text)
		*value = text;
}

static int from_file(struct fleet_options *o, const json_t *file, const char *name, const char **value,
		     const char *path, struct aisbx_error *e)
{
	const json_t *said = json_object_get(file, name);

	if (!said || *value)
		return 0;
	if (!json_is_string(said))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' in %s must be a text", name, path);
	o->memory[o->n_memory] = strdup(json_string_value(said));
	if (!o->memory[o->n_memory])
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read %s", path);
	*value = o->memory[o->n_memory++];
	return 0;
}

/* $XDG_CONFIG_HOME/aisbx/fleet.json; false: there is no place for one. */
static bool file_path(char path[PATH_MAX])
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = config && config[0] == '/' ? snprintf(path, PATH_MAX, "%s/aisbx/fleet.json", config)
		: home && home[0] == '/'   ? snprintf(path, PATH_MAX, "%s/.config/aisbx/fleet.json", home)
					   : PATH_MAX;

	return n < PATH_MAX;
}

static int complete_by_file(struct fleet_options *o, bool centre, struct aisbx_error *e)
{
	char path[PATH_MAX];
	json_error_t wrong;
	json_t *file;
	int r;

	if (!file_path(path) || access(path, F_OK) < 0)
		return 0;
	file = json_load_file(path, JSON_REJECT_DUPLICATES, &wrong);
	if (!json_is_object(file)) {
		json_decref(file);
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"%s is no JSON object (line %d: %s); it may say \"nats\", \"creds\", "
			"\"ca\", \"hub_keys\", \"tenant\", \"store\", \"store-key\" and \"centre\"",
			path, wrong.line, wrong.text);
	}
	r = centre ? from_file(o, file, "centre", &o->centre, path, e) : 0;
	if (r == 0 && !centre)
		r = from_file(o, file, "nats", &o->nats, path, e);
	if (r == 0 && !centre)
		r = from_file(o, file, "creds", &o->creds, path, e);
	if (r == 0 && !centre)
		r = from_file(o, file, "ca", &o->ca, path, e);
	if (r == 0 && !centre)
		r = from_file(o, file, "tenant", &o->tenant, path, e);
	if (r == 0 && !centre)
		r = from_file(o, file, "store", &o->store, path, e);
	if (r == 0 && !centre)
		r = from_file(o, file, "store-key", &o->store_key, path, e);
	if (r == 0 && !centre)
		r = from_file(o, file, "hub_keys", &o->hub_keys, path, e);
	json_decref(file);
	return r;
}

int fleet_options_centre(struct fleet_options *o, struct aisbx_error *e)
{
	from_variable(&o->centre, "AISBX_CENTRE");
	return o->centre ? 0 : complete_by_file(o, true, e);
}

int fleet_options_complete(struct fleet_options *o, struct aisbx_error *e)
{
	int r;

	from_variable(&o->nats, "AISBX_NATS");
	from_variable(&o->creds, "AISBX_NATS_CREDS");
	from_variable(&o->ca, "AISBX_NATS_CA");
	from_variable(&o->tenant, "AISBX_TENANT");
	from_variable(&o->store, "AISBX_FLEET_STORE");
	from_variable(&o->store_key, "AISBX_FLEET_STORE_KEY");
	from_variable(&o->key, "AISBX_FLEET_KEY");
	from_variable(&o->hub_keys, "AISBX_FLEET_HUB_KEYS");
	from_variable(&o->node_keys, "AISBX_FLEET_NODE_KEYS");
	r = complete_by_file(o, false, e);
	if (r < 0)
		return r;
	if (!o->tenant)
		o->tenant = TENANT;
	if (!o->nats)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EDESTADDRREQ,
			"no NATS server is given; use --nats nats://HOST:4222, set AISBX_NATS, or write "
			"{\"nats\": \"nats://HOST:4222\"} to ~/.config/aisbx/fleet.json");
	if (!fleet_is_name(o->tenant))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.80s' cannot be a tenant: at most %d letters, digits, '-' and '_'",
				    o->tenant, FLEET_NAME - 1);
	return 0;
}

int fleet_options_number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t fallback,
			 uint64_t *ret, struct aisbx_error *e)
{
	uint64_t value = fallback;

	if (text && (!str_to_u64(text, &value) || value < least || value > most))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--%s must be a number from %llu to %llu, not '%.50s'", name,
				    (unsigned long long)least, (unsigned long long)most, text);
	*ret = value;
	return 0;
}

int fleet_options_connect(const struct fleet_options *o, enum bus_role role, const char *name,
			  uint64_t connect_ms, struct bus **ret, struct aisbx_error *e)
{
	const struct bus_options options = { .url = o->nats,
					     .creds = o->creds,
					     .ca = o->ca,
					     .role = role,
					     .name = name,
					     .tenant = o->tenant,
					     .connect_ms = connect_ms };

	return bus_open(&options, ret, e);
}

void fleet_options_fresh_name(const char *prefix, char ret[FLEET_NAME])
{
	uint8_t random[10];
	char digits[2 * sizeof(random) + 1];

	while (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		;
	io_hex(random, sizeof(random), digits);
	snprintf(ret, FLEET_NAME, "%.30s%s", prefix, digits);
}
