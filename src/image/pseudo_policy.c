/* SPDX-License-Identifier: Apache-2.0 */
/* Reads policy.json of a pseudo-image. */
#include "image/pseudo_policy.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "image/oci.h"

#define WORD_MAX 64u

void pseudo_policy_finish(struct pseudo_policy *p)
{
	strlist_finish(&p->caps);
	free(p->seccomp);
	free(p->net);
	*p = (struct pseudo_policy){ 0 };
}

/* A text of letters, digits, '_' and '-' that is not too long. */
static bool is_word(const json_t *value)
{
	const char *text = json_string_value(value);
	size_t n = json_string_length(value);

	return text && n && n <= WORD_MAX &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == n;
}

/* False: it is wrong, or there is no memory; the latter shows in RET. */
static bool read_all(const json_t *doc, struct pseudo_policy *ret)
{
	const json_t *caps = json_object_get(doc, "caps");
	const json_t *seccomp = json_object_get(doc, "seccomp"), *net = json_object_get(doc, "net");

	if (!json_is_object(doc) || (caps && !json_is_array(caps)) || (seccomp && !is_word(seccomp)) ||
	    (net && (!is_word(net) || !str_is_one_of(json_string_value(net), "none|loopback|any"))) ||
	    json_object_size(doc) != (size_t) !!caps + !!seccomp + !!net)
		return false;
	for (size_t i = 0; i < json_array_size(caps); i++) {
		if (!is_word(json_array_get(caps, i)))
			return false;
		strlist_add(&ret->caps, json_string_value(json_array_get(caps, i)));
	}
	ret->has_caps = caps != NULL;
	ret->seccomp = seccomp ? strdup(json_string_value(seccomp)) : NULL;
	ret->net = net ? strdup(json_string_value(net)) : NULL;
	ret->caps.failed |= (seccomp && !ret->seccomp) || (net && !ret->net);
	return true;
}

int pseudo_policy_read(const char *text, size_t len, struct pseudo_policy *ret, struct aisbx_error *e)
{
	json_t *doc = NULL;
	bool good;

	if (oci_json(text, len, PSEUDO_POLICY, &doc, e) < 0)
		return e->code;
	good = read_all(doc, ret);
	json_decref(doc);
	if (!good)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "%s may have 'caps' (a list), 'seccomp' (a preset) and 'net' (none, "
				    "loopback or any), and nothing else",
				    PSEUDO_POLICY);
	return ret->caps.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read %s", PSEUDO_POLICY) : 0;
}
