/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of the sections of aisbx.yaml share. Inside project/ only. */
#ifndef PROJECT_READ_H
#define PROJECT_READ_H

#include "policy/yaml_doc.h"
#include "project/project.h"

/* Regular expression for a schema: what project_read_path accepts. */
#define PROJECT_BELOW "^(?!/)(?!(.*/)?\\.{1,2}(/|$))(?!.*//)(?!.*[\\u0000]).{1,255}$"

/* What is being read: a doc's `of` while it is read. */
struct project_reading {
	struct project *p;
	const struct yaml_node_s *gates; /* NULL: the file has none */
	char *states;                    /* owned; of each gate, in their order: see project_gate.c */
};

int project_read_path(struct doc *r, const yaml_node_t *n, const char *what, char **ret);
/* A list of checks; gates are those of the file being read. */
int project_read_checks(struct doc *r, const yaml_node_t *n, struct project_checks *to);

/* Each reads its section into the project of INTO; gates first, because the others name them. */
int project_read_gates(struct doc *r, const yaml_node_t *map, void *into);
int project_read_intents(struct doc *r, const yaml_node_t *map, void *into);
int project_read_stages(struct doc *r, const yaml_node_t *list, void *into);
int project_read_experiments(struct doc *r, const yaml_node_t *map, void *into);
int project_read_guard(struct doc *r, const yaml_node_t *map, void *into);
int project_read_judges(struct doc *r, const yaml_node_t *list, void *into);
/* 'judges_from': into a bool, whether the box's version is used. */
int project_read_judges_from(struct doc *r, const yaml_node_t *n, bool *ret);

extern const struct doc_shape project_intents_shape, project_gates_shape, project_checks_shape,
	project_stages_shape, project_experiments_shape, project_guard_shape, project_judges_shape,
	project_judges_from_shape;

void project_intents_finish(struct project *p);
void project_gates_finish(struct project *p);
void project_stages_finish(struct project *p);
void project_experiments_finish(struct project *p);
void project_guard_finish(struct project *p);
void project_judges_finish(struct project *p);
void project_problems_finish(struct project *p);
/* Of a guard with a mistake: the rules that only make it stricter. */
void project_guard_keep_strict(struct project *p);

#endif
