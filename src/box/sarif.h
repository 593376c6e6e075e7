/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as SARIF 2.1.0, which editors and code hosts read. */
#ifndef BOX_SARIF_H
#define BOX_SARIF_H

#include <jansson.h>

#include "scan/core/scan.h"

/* Adds one result for each finding to the array RESULTS. PATH NULL: standard input. */
void sarif_add(json_t *results, const char *path, const struct scan_report *r);
/* The whole log, a new reference; takes over RESULTS. */
json_t *sarif_log(json_t *results, const struct scan_policy *policy);

#endif
