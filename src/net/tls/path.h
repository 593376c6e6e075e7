/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of requests in the one form in which they are compared, and methods. Pure. */
#ifndef NET_TLS_PATH_H
#define NET_TLS_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes the path of TARGET (before '?') to RET, which has room for strlen(TARGET) + 1 bytes: escapes of
 * letters, digits and "-._~" are undone, others get upper-case digits. NULL, or what about it servers read in
 * different ways: segments "." and "..", "//", escaped slashes and controls, a backslash, an escape of an
 * escape.
 */
const char *path_normalise(const char *target, char *ret);
/* Whether TARGET has only characters that a request line can have, and begins with '/' (or is "*"). */
bool path_is_target(const char *target);
/* PATTERN is "" for every path; a '*' at its end stands for the rest. */
bool path_matches(const char *path, const char *pattern);
/* A bit of enum egress_method, or 0. */
uint32_t path_method(const char *method);
/* Undoes all escapes; RET has room for strlen(TEXT) + 1 bytes. Returns the length. */
size_t path_unescape(const char *text, char *ret);

#endif
