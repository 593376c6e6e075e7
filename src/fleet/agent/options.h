/* SPDX-License-Identifier: Apache-2.0 */
/* Options of aisbx-fleet's commands, by one table; what is not given comes from variables and fleet.json. */
#ifndef FLEET_AGENT_OPTIONS_H
#define FLEET_AGENT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "fleet/bus/bus.h"

/* Texts are borrowed from the command line, from variables, or from MEMORY. */
struct fleet_options {
	const char *nats, *creds, *ca, *tenant, *name;
	const char *labels, *dir, *allow, *slots, *ahead, *keys; /* of a node */
	const char *metrics;
	const char *key, *hub_keys, *node_keys;                    /* who signs, and who is trusted */
	const char *replicas, *lane_cap, *keep, *shares;           /* of a hub */
	const char *store, *store_key, *project, *base;            /* of projects that travel */
	const char *on, *priority, *attempts, *deadline, *or_here; /* of a job */
	const char *tools, *answer_within;                         /* for a model */
	bool once, detach, json, quiet, undo, help;
	const char *centre, *where, *limit, *note; /* of the history */
	bool no_history;                           /* of a node */
	bool all, all_tenants;                     /* dead letters */
	char *memory[8];                           /* owned: what fleet.json says */
	size_t n_memory;
};

/* One option. VALUE NULL: a flag. AT: where it is kept, of fleet_options. */
struct fleet_option {
	const char *name;
	const char *value;
	size_t at;
	const char *help;
	bool attached; /* its value can only be attached by '=', and may be left out */
};

/* Ends with name NULL. */
extern const struct fleet_option fleet_options_table[];

void fleet_options_finish(struct fleet_options *o);
/*
 * Takes the options at the beginning of WORDS that are of NAMES ("nats|creds"); *RET_REST begins with what is
 * left. An option that is not of NAMES ends them if OTHERS is set, and is refused otherwise.
 */
int fleet_options_take(struct fleet_options *o, char **words, const char *names, bool others,
		       char ***ret_rest, struct aisbx_error *e);
/* What was not given: AISBX_NATS, AISBX_NATS_CREDS, AISBX_NATS_CA, AISBX_TENANT, AISBX_FLEET_KEY,
 * AISBX_FLEET_HUB_KEYS, AISBX_FLEET_NODE_KEYS; then fleet.json. */
int fleet_options_complete(struct fleet_options *o, struct aisbx_error *e);
/* The centre of the history alone: AISBX_CENTRE, then fleet.json; NULL where nobody says it. */
int fleet_options_centre(struct fleet_options *o, struct aisbx_error *e);
/* A number from LEAST to MOST; NULL is FALLBACK. */
int fleet_options_number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t fallback,
			 uint64_t *ret, struct aisbx_error *e);
/* Opens the engine; NAME is who speaks. */
int fleet_options_connect(const struct fleet_options *o, enum bus_role role, const char *name,
			  uint64_t connect_ms, struct bus **ret, struct aisbx_error *e);
/* PREFIX and random digits, for names that are never used twice. */
void fleet_options_fresh_name(const char *prefix, char ret[FLEET_NAME]);

#endif
