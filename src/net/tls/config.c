/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the configuration of aisbx-tls. It comes from the broker, and is checked all the same. */
#include "net/tls/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "net/never_ended.h"

#define MAX_WORDS 7

static int refuse(struct aisbx_error *e, const char *what, const char *of)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			    "configuration of aisbx-tls: %s '%.80s'", what, of);
}

static int add_rule(struct config *c, char **words, struct aisbx_error *e)
{
	struct egress_rule *more;

	if (c->n_rules == EGRESS_MAX_RULES)
		return refuse(e, "too many rules before", words[0]);
	more = realloc(c->rules, (c->n_rules + 1) * sizeof(*more));
	if (!more)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read rules");
	c->rules = more;
	if (egress_rule_parse(words[0], &more[c->n_rules], e) < 0)
		return e->code;
	c->n_rules++;
	return 0;
}

static bool is_header_name(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("-_", text[i]))
			return false;
	return len > 0;
}

/* What a header can have. */
static bool is_visible(const char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text == 0x7f)
			return false;
	return true;
}

/* "Name: before {} behind" */
static int read_template(struct tls_secret *s, char *text, struct aisbx_error *e)
{
	char *colon = strchr(text, ':'), *hole = strstr(text, "{}");

	if (!colon || !hole || hole < colon || strstr(hole + 2, "{}") || !is_visible(text) ||
	    !is_header_name(text, (size_t)(colon - text)))
		return refuse(e, "not a template such as \"Authorization: Bearer {}\":", text);
	s->header = strndup(text, (size_t)(colon - text));
	if (!s->header)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read secrets");
	for (char *p = s->header; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	for (colon++; *colon == ' ';)
		colon++;
	s->before = colon;
	s->before_len = (size_t)(hole - colon);
	s->behind = hole + 2;
	return 0;
}

static int read_how(struct tls_secret *s, const char *how, char *template, struct aisbx_error *e)
{
	if (!strcmp(how, "header")) {
		s->how = SECRET_HEADER;
		return read_template(s, template, e);
	}
	s->how = !strcmp(how, "basic") ? SECRET_BASIC : SECRET_AWS;
	if (s->how == SECRET_AWS && strcmp(how, "aws-sigv4") != 0)
		return refuse(e, "no way to give a secret:", how);
	if (*template)
		return refuse(e, "a template where there can be none:", template);
	s->before = s->behind = "";
	s->header = strdup("authorization");
	return s->header ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read secrets");
}

/* KEY-ID:SECRET[:TOKEN], with the colons of the placeholder at the same places. */
static bool is_aws_pair(const struct tls_secret *s)
{
	const char *a = strchr(s->value, ':'), *b = strchr(s->placeholder, ':');
	const char *a2 = a ? strchr(a + 1, ':') : NULL, *b2 = b ? strchr(b + 1, ':') : NULL;

	return a && b && a - s->value == b - s->placeholder && a > s->value && a[1] && !a2 == !b2 &&
	       (!a2 || a2 - a == b2 - b);
}

static int check_secret(const struct tls_secret *s, struct aisbx_error *e)
{
	char name[EGRESS_NAME_MAX];
	const char *host = !strncmp(s->host, "*.", 2) ? s->host + 2 : s->host;

	if (!is_header_name(s->name, strlen(s->name)) || strlen(s->name) > SECRET_MAX_NAME)
		return refuse(e, "not a name of a secret:", s->name);
	if (!egress_name(host, strlen(host), name) || strcmp(name, host) != 0)
		return refuse(e, "not the host of a secret:", s->host);
	if (strlen(s->value) < SECRET_MIN || strlen(s->value) > SECRET_MAX_BYTES ||
	    strlen(s->value) != strlen(s->placeholder) || !strcmp(s->value, s->placeholder) ||
	    !is_visible(s->value) || !is_visible(s->placeholder))
		return refuse(e, "the placeholder has not the shape of the secret", s->name);
	if (s->how == SECRET_AWS && !is_aws_pair(s))
		return refuse(e, "not KEY-ID:SECRET: the secret", s->name);
	return 0;
}

/* Of an AWS pair the key's id alone, which requests show; else the whole. */
static struct redactor *make_finder(const struct tls_secret *s)
{
	size_t len = s->how == SECRET_AWS ? strcspn(s->placeholder, ":") : strlen(s->placeholder);
	struct run_secret one = { .name = (char *)CONFIG_FOUND, .value = (char *)s->placeholder, .len = len };

	return redactor_create(&one, 1);
}

static int add_secret(struct config *c, char **words, struct aisbx_error *e)
{
	struct tls_secret *s = &c->secrets[c->n_secrets];
	uint64_t port;

	if (c->n_secrets == TLS_MAX_SECRETS)
		return refuse(e, "too many secrets before", words[0]);
	c->n_secrets++; /* what it has is freed, whatever happens */
	*s = (struct tls_secret){
		.name = words[0], .host = words[1], .placeholder = words[5], .value = words[6]
	};
	if (!str_to_u64(words[2], &port) || port > 65535)
		return refuse(e, "not a port:", words[2]);
	s->port = (uint16_t)port;
	if (read_how(s, words[3], words[4], e) < 0 || check_secret(s, e) < 0)
		return e->code;
	s->finder = make_finder(s);
	return s->finder ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read secrets");
}

static int set_roots(struct config *c, char **words, struct aisbx_error *e)
{
	if (c->roots)
		return refuse(e, "roots are named twice:", "roots");
	c->roots = words[0];
	return 0;
}

static int set_only_roots(struct config *c, char **words, struct aisbx_error *e)
{
	c->only_roots = true;
	return set_roots(c, words, e);
}

static int set_idle(struct config *c, char **words, struct aisbx_error *e)
{
	uint64_t ms;

	if (!str_to_u64(words[0], &ms) || ms > 86400000)
		return refuse(e, "not milliseconds of a day:", words[0]);
	c->idle_ms = ms ? ms : CONFIG_IDLE_MS;
	return 0;
}

static const struct record {
	const char *word;
	size_t n_words;
	int (*read)(struct config *c, char **words, struct aisbx_error *e);
} records[] = {
	{ "rule", 1, add_rule },   { "secret", MAX_WORDS, add_secret },
	{ "roots", 1, set_roots }, { "only-roots", 1, set_only_roots },
	{ "idle", 1, set_idle },
};

static const struct record *find_record(const char *word)
{
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (!strcmp(records[i].word, word))
			return &records[i];
	return NULL;
}

static int read_records(struct config *c, size_t len, struct aisbx_error *e)
{
	char *at = c->bytes, *end = c->bytes + len, *words[MAX_WORDS];

	while (at < end) {
		const struct record *r = find_record(at);

		if (!r)
			return refuse(e, "no such record:", at);
		for (size_t i = 0; i < r->n_words; i++) {
			at += strlen(at) + 1;
			if (at >= end)
				return refuse(e, "an unfinished record:", r->word);
			words[i] = at;
		}
		at += strlen(at) + 1;
		if (r->read(c, words, e) < 0)
			return e->code;
	}
	return 0;
}

int config_read(const char *data, size_t len, struct config **ret, struct aisbx_error *e)
{
	scoped(drop_config) struct config *c = calloc(1, sizeof(*c));

	if (c)
		c->users = 1;
	if (len > TLS_CONFIG_MAX || (len && data[len - 1]))
		return refuse(e, "too long, or not ended:", "");
	if (!c || !(c->bytes = malloc(len + 1)))
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the configuration of aisbx-tls");
	memcpy(c->bytes, data, len);
	c->bytes[len] = '\0';
	c->idle_ms = CONFIG_IDLE_MS;
	if (read_records(c, len, e) < 0)
		return e->code;
	*ret = take_mem(&c);
	return 0;
}

void config_drop(struct config *c)
{
	if (!c || --c->users)
		return;
	for (size_t i = 0; i < c->n_secrets; i++) {
		free(c->secrets[i].header);
		redactor_destroy(c->secrets[i].finder);
		if (c->secrets[i].value)
			explicit_bzero((char *)c->secrets[i].value, strlen(c->secrets[i].value));
	}
	free(c->bytes);
	free(c->rules);
	free(c);
}

bool config_secret_is_of(const struct tls_secret *s, const char *name, uint16_t port)
{
	return (!s->port || s->port == port) && net_name_matches(name, s->host);
}

bool config_has_secret(const struct config *c, const char *name, uint16_t port)
{
	for (size_t i = 0; i < c->n_secrets; i++)
		if (config_secret_is_of(&c->secrets[i], name, port))
			return true;
	return false;
}
