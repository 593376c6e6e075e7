/* SPDX-License-Identifier: Apache-2.0 */
/* Reads requests of a stranger: the first line counts, the rest is only waited for. */
#include <string.h>

#include "fleet/agent/scrape.h"

static bool is(const char *text, const char *data, size_t len)
{
	return strlen(text) == len && memcmp(text, data, len) == 0;
}

/* METHOD SP TARGET SP HTTP/1.x */
static enum scrape_request read_line(const char *line, size_t len)
{
	const char *target = memchr(line, ' ', len), *version, *query;
	size_t method, path;

	if (!target)
		return SCRAPE_BAD;
	method = (size_t)(target++ - line);
	version = memchr(target, ' ', len - method - 1);
	if (!version || (!is(" HTTP/1.1", version, len - (size_t)(version - line)) &&
			 !is(" HTTP/1.0", version, len - (size_t)(version - line))))
		return SCRAPE_BAD;
	path = (size_t)(version - target);
	query = memchr(target, '?', path);
	if (query)
		path = (size_t)(query - target);
	if (!is("GET", line, method) && !is("HEAD", line, method))
		return SCRAPE_METHOD;
	if (!is("/metrics", target, path))
		return SCRAPE_NOT_THERE;
	return line[0] == 'G' ? SCRAPE_METRICS : SCRAPE_HEAD;
}

enum scrape_request scrape_read(const char *data, size_t len)
{
	const char *line = memchr(data, '\n', len);
	size_t n;

	if (len > SCRAPE_REQUEST_MAX || memchr(data, 0, len))
		return SCRAPE_BAD;
	if (!line || !memmem(line, len - (size_t)(line - data), "\n\r\n", 3))
		return len == SCRAPE_REQUEST_MAX ? SCRAPE_BAD : SCRAPE_MORE;
	n = (size_t)(line - data);
	return n > 0 && data[n - 1] == '\r' ? read_line(data, n - 1) : SCRAPE_BAD;
}
