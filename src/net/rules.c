/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rules: all of them, or none. */
#include "net/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "sys/sys.h"

#define RULES_BYTES (2 * EGRESS_MAX_RULES * EGRESS_RULE_MAX)
#define ENDS        "ends "

void rule_set_finish(struct rule_set *s)
{
	free(s->rules);
	free(s->ends);
	*s = (struct rule_set){ 0 };
}

static int read_rule(const char *text, struct rule_set *s, struct aisbx_error *e)
{
	bool ends = !strncmp(text, ENDS, strlen(ENDS));
	size_t *n = ends ? &s->n_ends : &s->n;
	struct egress_rule **list = ends ? &s->ends : &s->rules;

	if (*n == EGRESS_MAX_RULES)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, E2BIG,
				    "a box has more than %d rules", EGRESS_MAX_RULES);
	if (!(*n & (*n - 1))) { /* at powers of two: room for as many again */
		struct egress_rule *more = reallocarray(*list, *n ? *n * 2 : 1, sizeof(*more));

		if (!more)
			return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the rules of the network");
		*list = more;
	}
	return egress_rule_parse(ends ? text + strlen(ENDS) : text, &(*list)[(*n)++], e);
}

int rule_set_parse(const char *text, size_t len, struct rule_set *ret, struct aisbx_error *e)
{
	scoped(rule_set_finish) struct rule_set s = { 0 };

	if (len && text[len - 1])
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
				    "the last rule of the network is cut off");
	for (const char *at = text; at < text + len; at += strlen(at) + 1) {
		int r = read_rule(at, &s, e);

		if (r < 0)
			return r;
	}
	*ret = s;
	s = (struct rule_set){ 0 };
	return 0;
}

int rule_set_read(int fd, struct rule_set *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = malloc(RULES_BYTES + 1);
	ssize_t len = 0;

	if (!text)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the rules of the network");
	if (!sys_memfd_is_sealed(fd) || (len = read(fd, text, RULES_BYTES + 1)) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, EPROTO, "read the rules of the network");
	if (len > RULES_BYTES)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, E2BIG,
				    "the rules of the box are longer than %d bytes", RULES_BYTES);
	return rule_set_parse(text, (size_t)len, ret, e);
}
