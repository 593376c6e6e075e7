/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of two hubs and two nodes in a directory of the test, with the lists of their public halves. */
#ifndef SUPPORT_FLEET_KEYS_H
#define SUPPORT_FLEET_KEYS_H

#include "support/test.h"

#include "fleet/agent/seal.h"

static char keys_dir[] = "/tmp/test-keys.XXXXXX";

static inline const char *in_dir(const char *name)
{
	static char paths[8][128];
	static unsigned i;
	char *path = paths[i++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", keys_dir, name);
	return path;
}

static inline void write_file(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static inline void make_pair(const char *list, const char *one, const char *other)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char first[KEY_TEXT], second[KEY_TEXT], text[300];
	struct key key;

	assert_int_equal(key_make(in_dir(one), &key, &e), 0);
	key_public_write(&key.public, first);
	assert_int_equal(key_make(in_dir(other), &key, &e), 0);
	key_public_write(&key.public, second);
	snprintf(text, sizeof(text), "{\"%s\": [\"%s\"], \"%s\": [\"%s\"]}", one, first, other, second);
	write_file(list, text);
}

static inline int make_keys(void **state)
{
	(void)state;
	if (!mkdtemp(keys_dir))
		return -1;
	make_pair("hubs", "h", "i");
	make_pair("nodes", "x", "y");
	make_pair("strangers", "p", "q");
	return 0;
}

static inline int drop_keys(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", keys_dir);
	return system(command);
}

static inline struct seals *seals_for(enum bus_role role, const char *name, const char *hubs)
{
	const struct fleet_options o = { .key = name ? in_dir(name) : NULL,
					 .hub_keys = hubs ? in_dir(hubs) : NULL,
					 .node_keys = role == BUS_HUB ? in_dir("nodes") : NULL };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct seals *s = NULL;

	if (seals_open(&o, role, &s, &e) < 0)
		fail_msg("%s", e.text);
	return s;
}

/* The record of the claim of attempt ATTEMPT of job j of t, on NODE, in EPOCH, as HUB puts it. */
static inline struct fleet_record claimed(struct seals *hub, const char *node, uint64_t epoch,
					  unsigned attempt)
{
	struct fleet_action a = { .kind = FLEET_ASK,
				  .ask = { .kind = FLEET_ASK_PUT, .id = "j", .tenant = "t" } };

	a.ask.record = (struct fleet_record){
		.phase = FLEET_CLAIMED, .token.epoch = epoch, .incarnation = 7, .attempt = attempt
	};
	snprintf(a.ask.record.node, FLEET_NAME, "%s", node);
	seals_of_hub(hub, &a);
	return a.ask.record;
}

/* What its node puts over that: PHASE, with RESULT. */
static inline struct fleet_record ended(struct seals *node, struct fleet_record claim, enum fleet_phase phase,
					const char *result)
{
	struct fleet_action a = { .kind = FLEET_ASK,
				  .ask = { .kind = FLEET_ASK_PUT, .id = "j", .tenant = "t" } };

	a.ask.record = claim;
	a.ask.record.phase = phase;
	a.ask.record.token.revision = 40;
	a.ask.record.result = result ? fleet_text_new(result, strlen(result)) : NULL;
	seals_of_node(node, &a);
	return a.ask.record;
}

#endif
