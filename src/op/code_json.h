/* SPDX-License-Identifier: Apache-2.0 */
/* What `run-code` tells. */
#ifndef OP_CODE_JSON_H
#define OP_CODE_JSON_H

#include <jansson.h>

#include "box/code.h"

/* Fields of a value that a program told, at AT. */
#define RESULTS_FIELDS(at)                                                                          \
	{ at "text", "string", "as the language prints it" },                                       \
		{ at "html", "string",                                                              \
		  "only present, as those below, if the value has it: by _repr_html_ and so on" },  \
		{ at "markdown", "string", "as html" }, { at "svg", "string", "as html" },          \
		{ at "png", "string", "in base64" }, { at "jpeg", "string", "in base64" },          \
		{ at "pdf", "string", "in base64" }, { at "latex", "string", "as html" },           \
		{ at "json", "object|array", "as html" }, { at "javascript", "string", "as html" }, \
		{ at "extra", "object",                                                             \
		  "by type: other forms that a kernel of Jupyter told, such as plotly's charts" },  \
	{                                                                                           \
		at "is_main_result", "boolean", "it is the value of the last expression"            \
	}

/* New references. In a box of its own; in a context. */
json_t *op_code_json(const struct code_request *req, const struct code_result *c);
json_t *op_context_json(const struct code_request *req, const struct code_result *c);

#endif
