/* SPDX-License-Identifier: Apache-2.0 */
/* Which proxy the person's variables name for a host. libcurl could read them itself, but would not say
 * whether an address that it connects to is the proxy's. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "helpers/image/http_part.h"

/* WORD of no_proxy: a host, a domain with or without its dot, or "*"; with a port of its own or none. */
static bool is_meant(const struct place *p, char *word)
{
	char *colon = strchr(word, ':');
	size_t len, host = strlen(p->host);

	if (colon && !strchr(colon + 1, ':')) {
		if (strtoul(colon + 1, NULL, 10) != p->port)
			return false;
		*colon = '\0';
	}
	if (!strcmp(word, "*"))
		return true;
	word += *word == '.';
	len = strlen(word);
	return len && len <= host && !strcasecmp(p->host + host - len, word) &&
	       (len == host || p->host[host - len - 1] == '.');
}

static const char *variable(const char *name, const char *other)
{
	const char *value = getenv(name);

	if ((!value || !*value) && other)
		value = getenv(other);
	return value && *value ? value : NULL;
}

const char *http_proxy_for(const struct place *p)
{
	/* HTTP_PROXY in capitals is a header of a request where a web server starts programs. */
	const char *proxy =
		p->is_plain ? variable("http_proxy", NULL) : variable("https_proxy", "HTTPS_PROXY");
	const char *but = variable("no_proxy", "NO_PROXY");
	scoped(drop_mem) char *words = but ? strdup(but) : NULL;
	char *rest = NULL;

	if (!proxy || place_is_loopback(p->host))
		return NULL;
	for (char *w = words ? strtok_r(words, ", \t", &rest) : NULL; w; w = strtok_r(NULL, ", \t", &rest))
		if (is_meant(p, w))
			return NULL;
	return proxy;
}
