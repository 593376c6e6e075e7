/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services: programs that run beside a command in its box, as in a project's aisbx.yaml and in profiles.
 * Pure; no system calls.
 */
#ifndef POLICY_SERVICE_H
#define POLICY_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define SERVICE_MAX 32u /* in one file */

enum service_ready {
	READY_STARTED, /* as soon as its program runs */
	READY_PORT,    /* somebody in the box listens on it */
	READY_FILE,    /* it is there */
	READY_COMMAND, /* it exits with 0 */
};

enum service_restart {
	RESTART_NO,
	RESTART_ON_FAILURE,
	RESTART_ALWAYS,
};

struct service_spec {
	char *name;          /* owned; letters, digits, '-', '_', '.' */
	struct strlist argv; /* at least one */
	struct strlist env;  /* "NAME=VALUE" */
	size_t *after;       /* owned; indexes of those that must be ready before it starts */
	size_t n_after;
	enum service_ready ready;
	uint16_t port;
	struct strlist ready_argv; /* of a file, too: what looks for it */
	char *ready_text;          /* owned; the condition, for people; NULL: none */
	uint64_t ready_ms;         /* time limit for that */
	enum service_restart restart;
};

struct service_specs {
	struct service_spec *items; /* owned; as in the file */
	size_t n;
};

struct doc;
struct doc_shape;
struct yaml_node_s;
/* The mapping 'services' of a file that is being read. After an error TO must be freed, too. */
int service_specs_read(struct doc *r, const struct yaml_node_s *map, struct service_specs *to);
void service_specs_finish(struct service_specs *s);
/* Its shape: the tables by which it is read. */
extern const struct doc_shape service_specs_shape;

#endif
