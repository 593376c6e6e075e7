/* SPDX-License-Identifier: Apache-2.0 */
/* A secret of a profile that is written as a mapping: {from: env:TOKEN, as: env, inject: {host: HOST}}. */
#ifndef POLICY_PROFILE_SECRET_H
#define POLICY_PROFILE_SECRET_H

#include "base/buf.h"
#include "policy/yaml_doc.h"

/* Writes what the mapping N says as --secret has it, without the name, to RET, which ends with a NUL. */
int profile_secret_text(struct doc *r, const yaml_node_t *n, struct buf *ret);

#endif
