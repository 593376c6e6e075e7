/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a secret that is written as a mapping, and says it as --secret has it: so there is one reader of it.
 */
#include "policy/profile_secret.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "policy/profile.h"

/* Texts are borrowed. */
struct secret {
	const char *from, *as, *host, *header;
	bool basic, aws;
};

static int take_text(struct doc *r, const yaml_node_t *n, const char *what, const char **ret)
{
	*ret = doc_text(r, n, what);
	if (!*ret)
		return r->e->code;
	return **ret ? 0 : doc_complain(r, n, "%s is empty", what);
}

static int secret_from(struct doc *r, const yaml_node_t *n, void *into)
{
	return take_text(r, n, "'from'", &((struct secret *)into)->from);
}

static const char *const secret_as_choices[] = { "file", "env", "both", NULL };

static int secret_as(struct doc *r, const yaml_node_t *n, void *into)
{
	size_t i = 0;
	int err = doc_one_of(r, n, "'as'", secret_as_choices, &i);

	((struct secret *)into)->as = secret_as_choices[i];
	return err;
}

static int inject_host(struct doc *r, const yaml_node_t *n, void *into)
{
	const char **host = &((struct secret *)into)->host;
	int err = take_text(r, n, "'host'", host);

	return err == 0 && strchr(*host, ' ') ? doc_complain(r, n, "'host' has a space") : err;
}

static int inject_header(struct doc *r, const yaml_node_t *n, void *into)
{
	const char **header = &((struct secret *)into)->header;
	int err = take_text(r, n, "'header'", header);

	return err == 0 && !strstr(*header, "{}")
		       ? doc_complain(r, n,
				      "'header' has no {} where the secret stands, as in \"Authorization: "
				      "Bearer {}\"")
		       : err;
}

static const char *const bool_choices[] = { "false", "true", NULL };

static int take_bool(struct doc *r, const yaml_node_t *n, const char *what, bool *ret)
{
	size_t i = 0;
	int err = doc_one_of(r, n, what, bool_choices, &i);

	*ret = i;
	return err;
}

static int inject_basic(struct doc *r, const yaml_node_t *n, void *into)
{
	return take_bool(r, n, "'basic'", &((struct secret *)into)->basic);
}

static int inject_aws(struct doc *r, const yaml_node_t *n, void *into)
{
	return take_bool(r, n, "'aws'", &((struct secret *)into)->aws);
}

static const struct doc_shape bool_shape = { .kind = DOC_CHOICE, .choices = bool_choices };
static const struct doc_shape source_shape = { .kind = DOC_TEXT, .pattern = "^(env|file|cmd):." };
static const struct doc_shape host_shape = { .kind = DOC_TEXT, .pattern = "^[A-Za-z0-9*._-]+(:[0-9]+)?$" };
static const struct doc_shape header_shape = { .kind = DOC_TEXT, .pattern = "^[A-Za-z0-9_-]+:.*[{][}]" };
static const struct doc_shape as_shape = { .kind = DOC_CHOICE, .choices = secret_as_choices };
static const struct doc_key inject_keys[] = {
	{ "host", inject_host, &host_shape, "the only host that gets it; HOST:PORT if the port is not 443",
	  true },
	{ "header", inject_header, &header_shape,
	  "where it stands in a request: {} is the secret; default: \"Authorization: Bearer {}\"" },
	{ "basic", inject_basic, &bool_shape, "it is the user or the password of 'Authorization: Basic'" },
	{ "aws", inject_aws, &bool_shape,
	  "requests are signed with it (SigV4); it is KEY-ID:SECRET or KEY-ID:SECRET:SESSION-TOKEN" },
	{ NULL, NULL },
};
static const struct doc_shape inject_shape = { .kind = DOC_KEYS, .keys = inject_keys };

static int secret_inject(struct doc *r, const yaml_node_t *n, void *into)
{
	const struct secret *s = into;
	int err = doc_mapping(r, n, "'inject'", inject_keys, into);

	return err == 0 && s->basic + s->aws + (s->header != NULL) > 1
		       ? doc_complain(r, n, "'inject' takes only one of header, basic, aws")
		       : err;
}

static const struct doc_key secret_keys[] = {
	{ "from", secret_from, &source_shape, "env:VARIABLE, file:PATH or cmd:COMMAND", true },
	{ "as", secret_as, &as_shape,
	  "how the box gets it: the file /run/secrets/NAME, the variable NAME, or both; default: file, with "
	  "'inject' env" },
	{ "inject", secret_inject, &inject_shape,
	  "the box gets a placeholder; the secret is put into requests to one host on their way out" },
	{ NULL, NULL },
};
const struct doc_shape profile_secret_shape = { .kind = DOC_KEYS, .keys = secret_keys };

int profile_secret_text(struct doc *r, const yaml_node_t *n, struct buf *ret)
{
	struct secret s = { 0 };
	int err = doc_mapping(r, n, "a secret", secret_keys, &s);

	if (err < 0)
		return err;
	if (strstr(s.from, ",as=") || strstr(s.from, ",inject="))
		return doc_complain(r, n, "'from' is a source alone: 'as' and 'inject' are keys here");
	buf_addf(ret, "%s", s.from);
	if (s.as)
		buf_addf(ret, ",as=%s", s.as);
	if (s.host)
		buf_addf(ret, ",inject=%s", s.host);
	if (s.basic || s.aws || s.header)
		buf_addf(ret, " %s", s.basic ? "basic" : s.aws ? "aws-sigv4" : s.header);
	return buf_str(ret) ? 0 : doc_no_memory(r);
}
