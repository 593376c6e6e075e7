/* SPDX-License-Identifier: Apache-2.0 */
/* The table of presets, and what one repository of GitHub is made of. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "policy/egress.h"
#include "policy/egress_presets.h"

#define RULES(...)                \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

const struct egress_preset egress_presets[] = {
	{ "python-packages", "pip, uv, poetry: packages from PyPI, or from where pip is set up to get them",
	  RULES("pypi.org:443", "files.pythonhosted.org:443") },
	{ "npm", "npm, yarn, pnpm: packages from npmjs.org, or from the registry that npm is set up for",
	  RULES("registry.npmjs.org:443", "registry.yarnpkg.com:443") },
	{ "crates", "cargo: crates from crates.io, or from what replaces it in cargo's configuration",
	  RULES("index.crates.io:443", "static.crates.io:443", "crates.io:443") },
	{ "go", "go: modules and checksums by the proxy of golang.org, or by GOPROXY and GOSUMDB",
	  RULES("proxy.golang.org:443", "sum.golang.org:443") },
	{ "maven", "maven, gradle: artifacts from Maven Central, or from a mirror in maven's settings",
	  RULES("repo.maven.apache.org:443", "repo1.maven.org:443") },
	{ "debian", "apt: packages from Debian's servers, and from apt's own sources",
	  RULES("deb.debian.org:80", "deb.debian.org:443", "security.debian.org:80",
		"security.debian.org:443") },
	{ "github", "git, gh: every repository of GitHub, by https and ssh, and its downloads",
	  RULES("github.com:443", "github.com:22", "ssh.github.com:443", "api.github.com:443",
		"uploads.github.com:443", "codeload.github.com:443", "raw.githubusercontent.com:443",
		"objects.githubusercontent.com:443", "release-assets.githubusercontent.com:443",
		"github-cloud.githubusercontent.com:443") },
	{ NULL, NULL, NULL },
};

/* For one repository; the first %s is its owner, the second its name. */
struct repository_rule {
	const char *format;
	const char *read; /* methods that only read; NULL: no rule for who only reads */
};

static const struct repository_rule github_rules[] = {
	{ "https://github.com/%s/%s", " GET,HEAD" },
	{ "https://github.com/%s/%s/*", " GET,HEAD" },
	{ "https://github.com/%s/%s.git", " GET,HEAD" },
	{ "https://github.com/%s/%s.git/*", " GET,HEAD" },
	{ "https://github.com/%s/%s/git-upload-pack", " POST" }, /* clone and fetch ask by it */
	{ "https://github.com/%s/%s.git/git-upload-pack", " POST" },
	{ "https://api.github.com/repos/%s/%s", " GET,HEAD" },
	{ "https://api.github.com/repos/%s/%s/*", " GET,HEAD" },
	{ "https://codeload.github.com/%s/%s/*", " GET,HEAD" },
	{ "https://raw.githubusercontent.com/%s/%s/*", " GET,HEAD" },
	{ "https://uploads.github.com/repos/%s/%s/*", NULL },
};

const struct egress_preset *egress_preset_by_name(const char *name)
{
	for (const struct egress_preset *p = egress_presets; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

static int add_rule(const char *text, struct strlist *ret, struct aisbx_error *e)
{
	struct egress_rule rule;
	int r = egress_rule_parse(text, &rule, e);

	if (r < 0 || strlist_has(ret, rule.text))
		return r;
	if (ret->n >= EGRESS_MAX_RULES)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_POLICY, E2BIG,
				    "more than %d network rules", EGRESS_MAX_RULES);
	strlist_add(ret, rule.text);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "network rule '%s'", rule.text) : 0;
}

static bool is_word(const char *s, size_t len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	return len && len <= 100 && strspn(s, letters) >= len && *s != '.' && *s != '-';
}

/* OWNER/REPO, OWNER/REPO:read */
static int add_repository(const char *text, struct strlist *ret, struct aisbx_error *e)
{
	const char *slash = strchr(text, '/'), *name = slash ? slash + 1 : "";
	size_t owner_len = slash ? (size_t)(slash - text) : 0, name_len = strcspn(name, ":");
	bool read = !strcmp(name + name_len, ":read");
	char owner[128], repo[128], rule[EGRESS_RULE_MAX];
	int r = 0;

	if (name_len > 4 && !strncmp(name + name_len - 4, ".git", 4) && is_word(name, name_len))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "'github:%.100s': the name of the repository is meant, without '.git'",
				    text);
	if (!is_word(text, owner_len) || !is_word(name, name_len) || (name[name_len] && !read))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			"'github:%.100s' is not a repository; for example: github:python/cpython, or "
			"github:python/cpython:read for one that is only read",
			text);
	snprintf(owner, sizeof(owner), "%.*s", (int)owner_len, text);
	snprintf(repo, sizeof(repo), "%.*s", (int)name_len, name);
	for (size_t i = 0; r == 0 && i < sizeof(github_rules) / sizeof(*github_rules); i++) {
		const struct repository_rule *g = &github_rules[i];
		size_t n;

		if (read && !g->read)
			continue;
		n = strcspn(g->format, "%");
		snprintf(rule, sizeof(rule), "%.*s%s/%s%s%s", (int)n, g->format, owner, repo,
			 g->format + n + strlen("%s/%s"), read ? g->read : "");
		r = add_rule(rule, ret, e);
	}
	return r;
}

static int unknown_word(const char *value, struct aisbx_error *e)
{
	const char *names[16], *near;
	size_t n = 0;

	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
		     "'%.60s' is neither a network rule, such as github.com:443, nor a preset:", value);
	for (const struct egress_preset *p = egress_presets; p->name && n < 16; p++) {
		strncat(e->text, n ? ", " : " ", sizeof(e->text) - strlen(e->text) - 1);
		strncat(e->text, p->name, sizeof(e->text) - strlen(e->text) - 1);
		names[n++] = p->name;
	}
	near = str_nearest(value, names, n);
	return near ? aisbx_hint(e, "did you mean '%s'?", near) : e->code;
}

int egress_expand(const char *value, struct strlist *ret, struct aisbx_error *e)
{
	const struct egress_preset *p = egress_preset_by_name(value);
	int r = 0;

	for (size_t i = 0; r == 0 && p && p->rules[i]; i++)
		r = add_rule(p->rules[i], ret, e);
	if (p)
		return r;
	if (!strncmp(value, "github:", 7) && !strchr(" ", value[7 + strspn(value + 7, "0123456789*")]))
		return add_repository(value + 7, ret, e);
	/* A word alone: no name of a host, which would have a dot or a port. */
	if (*value &&
	    value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")] == '\0')
		return unknown_word(value, e);
	return add_rule(value, ret, e);
}

int egress_value_check(const char *value, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist rules = { 0 };

	return egress_expand(value, &rules, e);
}
