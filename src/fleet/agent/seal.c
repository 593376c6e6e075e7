/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of this program and of those that it trusts, and what is checked with them. */
#include "fleet/agent/seal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/agent/key_list.h"
#include "fleet/core/memory.h"
#include "fleet/core/table.h"

/* How often it is looked whether the file of nodes was changed. */
#define LOOK_MS 1000
/* Before a result that is sealed; one that is not begins with '{'. */
#define SEALED "sealed:"

struct seals {
	bool signs;
	struct key own; /* owned, as all here */
	struct key_public *hubs;
	size_t n_hubs;
	struct key_list nodes;       /* of a hub */
	struct fleet_table *by_name; /* of their keys, which NODES owns */
	char *nodes_path;
	struct stat nodes_file; /* as it was read */
	uint64_t look_ms;
};

static int wrong(struct aisbx_error *e, const char *text)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "%s", text);
}

static bool trusts(const struct seals *s, const struct key_public *hub)
{
	for (size_t i = 0; i < s->n_hubs; i++)
		if (!memcmp(s->hubs[i].bytes, hub->bytes, sizeof(hub->bytes)))
			return true;
	return false;
}

static int read_hubs(struct seals *s, const char *path, struct aisbx_error *e)
{
	scoped(key_list_finish) struct key_list list = { 0 };
	int r = path ? key_list_read(path, &list, e) : 0;

	if (r < 0)
		return r;
	s->hubs = fleet_new((list.n + 1) * sizeof(*s->hubs));
	for (size_t i = 0; i < list.n; i++)
		s->hubs[s->n_hubs++] = list.items[i].key;
	if (!path)
		s->hubs[s->n_hubs++] = s->own.public;
	return 0;
}

static int read_nodes(struct seals *s, struct aisbx_error *e)
{
	struct key_list list = { 0 };
	struct stat st;
	int r;

	if (stat(s->nodes_path, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "read the keys of nodes '%s'", s->nodes_path);
	s->nodes_file = st;
	r = key_list_read(s->nodes_path, &list, e);
	if (r < 0)
		return r;
	fleet_table_destroy(s->by_name);
	key_list_finish(&s->nodes);
	s->nodes = list;
	s->by_name = fleet_table_create();
	for (size_t i = 0; i < list.n; i++) /* the last of a name counts */
		fleet_table_put(s->by_name, list.items[i].name, &list.items[i].key);
	return 0;
}

static int open_hub(struct seals *s, const struct fleet_options *o, struct aisbx_error *e)
{
	int r;

	if (!o->key || !o->node_keys)
		return wrong(e,
			     "a hub that signs needs --key and --node-keys, else no node could be told from "
			     "another");
	s->nodes_path = strdup(o->node_keys);
	if (!s->nodes_path)
		fleet_out_of_memory();
	r = read_nodes(s, e);
	if (r == 0)
		r = read_hubs(s, o->hub_keys, e);
	if (r == 0 && !trusts(s, &s->own.public))
		r = wrong(e, "the key of this hub is not in --hub-keys: nobody would take what it signs");
	return r;
}

int seals_open(const struct fleet_options *o, enum bus_role role, struct seals **ret, struct aisbx_error *e)
{
	const bool is_node = role == BUS_NODE, is_hub = role == BUS_HUB;
	struct seals *s;
	int r = 0;

	*ret = NULL;
	if (!o->hub_keys && (!(is_node || is_hub) || !o->key) && (!is_hub || !o->node_keys))
		return 0;
	if (is_node && (!o->key || !o->hub_keys))
		return wrong(e,
			     "a node that signs needs --key and --hub-keys: its own, and whom it takes jobs "
			     "from");
	s = fleet_new(sizeof(*s));
	s->signs = is_node || is_hub;
	if (s->signs && o->key)
		r = key_load(o->key, &s->own, e);
	if (r == 0)
		r = is_hub ? open_hub(s, o, e) : read_hubs(s, o->hub_keys, e);
	if (r < 0)
		seals_close(s);
	else
		*ret = s;
	return r;
}

void seals_close(struct seals *s)
{
	if (!s)
		return;
	key_finish(&s->own);
	free(s->hubs);
	fleet_table_destroy(s->by_name);
	key_list_finish(&s->nodes);
	free(s->nodes_path);
	free(s);
}

size_t seals_hubs(const struct seals *s)
{
	return s ? s->n_hubs : 0;
}

const struct key *seals_key(const struct seals *s)
{
	return s && s->signs ? &s->own : NULL;
}

bool seals_know_node(struct seals *s, const char *name, uint64_t now_ms, char *why, size_t cap)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct stat st;

	why[0] = '\0';
	if (!s)
		return true;
	if (now_ms >= s->look_ms) {
		s->look_ms = now_ms + LOOK_MS;
		if (stat(s->nodes_path, &st) == 0 &&
		    (st.st_ino != s->nodes_file.st_ino || st.st_size != s->nodes_file.st_size ||
		     st.st_mtim.tv_sec != s->nodes_file.st_mtim.tv_sec ||
		     st.st_mtim.tv_nsec != s->nodes_file.st_mtim.tv_nsec) &&
		    read_nodes(s, &e) < 0)
			snprintf(why, cap, "%s; the keys that were read before still hold", e.text);
	}
	return fleet_table_get(s->by_name, name) != NULL;
}

static void seal_claim(const struct seals *s, const struct key_claim *claim, char ret[FLEET_SEAL])
{
	const struct key_public *node = fleet_table_get(s->by_name, claim->node);

	/* A claim for a node without a key stays without a seal, and nobody takes it. */
	if (!node || key_sign_claim(&s->own, claim, node, ret) < 0)
		ret[0] = '\0';
}

void seals_of_hub(struct seals *s, struct fleet_action *a)
{
	struct fleet_message *m = &a->message;
	struct fleet_record *r = &a->ask.record;

	if (!s)
		return;
	if (a->kind == FLEET_SEND && m->kind == FLEET_MSG_OFFER) {
		const struct key_claim claim = { m->offered.id,  m->offered.tenant, m->to,
						 m->incarnation, m->token.epoch,    m->attempt };

		seal_claim(s, &claim, m->seal);
		key_sign_message(&s->own, m, m->signature);
	} else if (a->kind == FLEET_ASK && a->ask.kind == FLEET_ASK_PUT && r->phase == FLEET_CLAIMED) {
		const struct key_claim claim = { a->ask.id,      a->ask.tenant,  r->node,
						 r->incarnation, r->token.epoch, r->attempt };

		seal_claim(s, &claim, r->seal);
	} else if (a->kind == FLEET_ASK && a->ask.kind == FLEET_ASK_PUT)
		key_sign_result(&s->own, a->ask.id, a->ask.tenant, r, r->signature);
}

void seals_of_node(const struct seals *s, struct fleet_action *a)
{
	struct fleet_record *r = &a->ask.record;

	if (!s)
		return;
	if (a->kind == FLEET_SEND && a->message.kind == FLEET_MSG_MAY_I)
		key_sign_message(&s->own, &a->message, a->message.signature);
	else if (a->kind == FLEET_ASK && a->ask.kind == FLEET_ASK_PUT)
		key_sign_result(&s->own, a->ask.id, a->ask.tenant, r, r->signature);
}

const char *seals_refuse_offer(const struct seals *s, const struct fleet_message *m)
{
	const struct key_claim claim = { m->offered.id,  m->offered.tenant, m->to,
					 m->incarnation, m->token.epoch,    m->attempt };
	struct key_public node;

	if (!s)
		return NULL;
	if (!key_verify_claim(s->hubs, s->n_hubs, &claim, m->seal, &node))
		return "no hub that is trusted here has signed its claim";
	if (memcmp(node.bytes, s->own.public.bytes, sizeof(node.bytes)) != 0)
		return "its claim is for another key than this node's";
	for (size_t i = 0; i < s->n_hubs; i++)
		if (key_verify_message(&s->hubs[i], m))
			return NULL;
	return "no hub that is trusted here has signed what it says";
}

const char *seals_refuse_question(const struct seals *s, const struct fleet_message *m)
{
	const struct key_claim claim = { m->job,         m->tenant,      m->from,
					 m->incarnation, m->token.epoch, m->attempt };
	struct key_public node;

	if (!s)
		return NULL;
	if (!key_verify_claim(s->hubs, s->n_hubs, &claim, m->seal, &node))
		return "no hub that is trusted here has signed its claim";
	return key_verify_message(&node, m) ? NULL : "the node of its claim has not signed it";
}

/* Of a hub: what it sealed itself it would seal the same way again, which is less work than to verify it. */
static bool is_own_claim(const struct seals *s, const struct key_claim *claim, const char *seal,
			 struct key_public *ret_node)
{
	const struct key_public *node = s->by_name ? fleet_table_get(s->by_name, claim->node) : NULL;
	char own[FLEET_SEAL];

	if (!node || key_sign_claim(&s->own, claim, node, own) < 0 || strcmp(own, seal) != 0)
		return false;
	*ret_node = *node;
	return true;
}

const char *seals_refuse_record(const struct seals *s, const char *tenant, const char *job,
				const struct fleet_record *r)
{
	const struct key_claim claim = { job, tenant, r->node, r->incarnation, r->token.epoch, r->attempt };
	struct key_public node;

	if (!s)
		return NULL;
	if (!r->seal[0] && (r->phase == FLEET_DEAD || r->phase == FLEET_CANCELLED)) {
		for (size_t i = 0; i < s->n_hubs; i++)
			if (key_verify_result(&s->hubs[i], job, tenant, r))
				return NULL;
		return "no hub that is trusted here has signed it";
	}
	if (!is_own_claim(s, &claim, r->seal, &node) &&
	    !key_verify_claim(s->hubs, s->n_hubs, &claim, r->seal, &node))
		return "no hub that is trusted here has signed its claim";
	if (r->phase != FLEET_CLAIMED && !key_verify_result(&node, job, tenant, r))
		return "the node of its claim has not signed it";
	return NULL;
}

bool seals_find_forged(const struct seals *s, const struct fleet_answer *a, struct fleet_answer *ret,
		       const char **why)
{
	const bool unreadable = a->kind == FLEET_FAILED && a->revision > 0;

	if (!s || !a->id[0] || (a->kind != FLEET_OK && !unreadable))
		return false;
	*why = unreadable ? "it cannot be read" : seals_refuse_record(s, a->tenant, a->id, &a->record);
	if (!*why)
		return false;
	*ret = (struct fleet_answer){
		.kind = FLEET_OK, .number = a->number, .revision = a->revision, .forged = true
	};
	memcpy(ret->id, a->id, sizeof(ret->id));
	memcpy(ret->tenant, a->tenant, sizeof(ret->tenant));
	/* For whoever knows of no forged ones: a claim by nobody, long ago. */
	ret->record.phase = FLEET_CLAIMED;
	ret->record.attempt = 1;
	return true;
}

struct fleet_text *seal_result(const char *box, struct fleet_text *result)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(buf_finish) struct buf text = { 0 };
	struct fleet_text *ret = NULL;
	struct key_public key;

	if (!box[0] || !result)
		return result;
	buf_addf(&text, SEALED);
	if (key_public_read(box, &key, &e) == 0 &&
	    key_seal(&key, fleet_text_data(result), fleet_text_len(result), &text) == 0)
		ret = fleet_text_new(text.data, text.len);
	fleet_text_drop(result);
	return ret;
}

struct fleet_text *seal_open_result(const struct key *box, struct fleet_text *result)
{
	scoped(buf_finish) struct buf text = { 0 };
	const size_t head = strlen(SEALED);
	struct fleet_text *ret = NULL;

	if (!result || strncmp(fleet_text_data(result), SEALED, head) != 0)
		return result;
	if (box && key_unseal(box, fleet_text_data(result) + head, fleet_text_len(result) - head, &text) == 0)
		ret = fleet_text_new(text.data ? text.data : "", text.len);
	fleet_text_drop(result);
	return ret;
}
