/* SPDX-License-Identifier: Apache-2.0 */
/* Makes programs of a box trust the box's own authority, beside all that the host trusts. */
#ifndef DRIVER_TRUST_H
#define DRIVER_TRUST_H

#include "aisbx/error.h"
#include "base/buf.h"
#include "run/spec.h"

/* Where the box finds all of them. */
#define TRUST_FILE "/run/aisbx/roots.pem"
#define TRUST_JAVA "/run/aisbx/roots.jks"

/* The host's roots and AUTHORITY, PEM. */
int trust_collect(const char *authority, struct buf *ret, struct aisbx_error *e);
/* The same roots for programs of Java. */
void trust_write_java(const struct buf *roots, struct buf *ret);
/* Sets the variables by which clients find TRUST_FILE, unless the person set them. */
void trust_set_variables(struct run_spec *spec);

#endif
