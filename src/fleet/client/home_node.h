/* SPDX-License-Identifier: Apache-2.0 */
/* A box has one home node, and operations on it go there. Which one is remembered from results; or said, as
 * "node=NAME/BOX": no name of a box or owner has a '='. */
#ifndef FLEET_CLIENT_HOME_NODE_H
#define FLEET_CLIENT_HOME_NODE_H

#include <jansson.h>

#include "fleet/agent/homes.h"

#define HOME_PREFIX "node="

/* Whether OPERATION names boxes that are there already. */
bool home_matters(const char *operation, const json_t *arguments);
/* HOMES may be NULL: nothing is known. Makes CLASS that of the node which has the boxes that ARGUMENTS name,
 * and takes "node=NAME/" off these. A class that names one node stays; so does any, if nothing is known of
 * the boxes. */
int home_find(struct homes *homes, const char *tenant, const char *operation, json_t *arguments,
	      char class[FLEET_NAME], struct aisbx_error *e);
/* Remembers and forgets boxes by what OPERATION gave on NODE: RESULT, or NULL and the kind of its error. */
int home_learn(struct homes *homes, const char *tenant, const char *node, const char *operation,
	       const json_t *arguments, const json_t *result, const char *kind, struct aisbx_error *e);
/* Writes NODE into RESULT and the boxes in it. */
void home_name(json_t *result, const char *node);

#endif
