/* SPDX-License-Identifier: Apache-2.0 */
/* Making errors: a sentence for a person, an errno for a program. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "aisbx/error.h"

/* "WHAT: strerror". ERR is a positive errno; returns -ERR so that a caller can `return aisbx_fail(...)`. */
int aisbx_fail(struct aisbx_error *e, int area, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* As above, without strerror: for refusals whose reason and kind come from aisbx, not from the kernel. */
int aisbx_refuse(struct aisbx_error *e, enum aisbx_kind kind, int area, int err, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Puts "CONTEXT: " before the text while the error is passed up. Returns e->code. */
int aisbx_context(struct aisbx_error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends "; HINT" to the text: what a person can do about it. Returns e->code. */
int aisbx_hint(struct aisbx_error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

const char *aisbx_area_name(int area);
/* The name that programs see: "not_found". */
const char *aisbx_kind_name(int kind);
/* The kind of an errno, in an area. */
enum aisbx_kind aisbx_kind_of(int area, int err);

#endif
