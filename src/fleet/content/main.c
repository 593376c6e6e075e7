/* SPDX-License-Identifier: Apache-2.0 */
/* aisbx-content: takes trees by content from one machine to another. One verb, one line of JSON, the end. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/std_fds.h"
#include "base/str.h"
#include "fleet/content/verbs.h"

static const struct verb {
	const char *name;
	int (*act)(struct content_request *q, json_t **ret, struct aisbx_error *e);
	bool has_id;
	const char *needs, *may; /* first letters of options */
	const char *usage;
} verbs[] = {
	{ "push", content_push, false, "fo", "wv",
	  "push --from DIR [--over LAYER ...] --to STORE [--without PATH ...]" },
	{ "pull", content_pull, true, "fo", "xy",
	  "pull ID --from STORE [--from STORE ...] --to DIR [--exact] [--layer DIR]" },
	{ "verify", content_verify, true, "f", "d", "verify ID --from STORE [--condemn]" },
	{ "serve", content_serve, false, "fl", "", "serve --from dir:/PATH --listen ADDRESS:PORT" },
	{ "gc", content_gc, false, "fg", "", "gc --from STORE --keep-generations N" },
};

static const struct option options[] = {
	{ "from", required_argument, NULL, 'f' },
	{ "to", required_argument, NULL, 'o' },
	{ "tenant", required_argument, NULL, 't' },
	{ "key", required_argument, NULL, 'k' },
	{ "cache", required_argument, NULL, 'c' },
	{ "exact", no_argument, NULL, 'x' },
	{ "keep-generations", required_argument, NULL, 'g' },
	{ "listen", required_argument, NULL, 'l' },
	{ "condemn", no_argument, NULL, 'd' },
	{ "without", required_argument, NULL, 'w' },
	{ "layer", required_argument, NULL, 'y' },
	{ "over", required_argument, NULL, 'v' },
	{ 0 },
};

/* What was given, by the letters of options. */
struct words {
	const char *from[CONTENT_SOURCES_MOST], *to, *tenant, *key, *cache, *keep, *listen, *layer;
	const char *without[CONTENT_WITHOUT_MOST], *over[CONTENT_OVER_MOST];
	size_t n_from, n_without, n_over;
	char given[32 + CONTENT_WITHOUT_MOST + CONTENT_OVER_MOST];
};

static int usage(const char *why, const char *word, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		buf_addf(&text, "%s%s", i ? "; " : "", verbs[i].usage);
	return aisbx_refuse(
		e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
		"%s%s%.60s%s; usage: aisbx-content %s; each with --tenant T --key FILE [--cache DIR]", why,
		word ? " '" : "", word ? word : "", word ? "'" : "", buf_str(&text) ? text.data : "");
}

static int take_option(struct words *w, int letter, const char *value, struct aisbx_error *e)
{
	size_t n = strlen(w->given);

	if (n + 2 > sizeof(w->given) || (letter == 'f' && w->n_from == CONTENT_SOURCES_MOST) ||
	    (letter == 'w' && w->n_without == CONTENT_WITHOUT_MOST) ||
	    (letter == 'v' && w->n_over == CONTENT_OVER_MOST))
		return usage("too many options", NULL, e);
	w->given[n] = (char)letter;
	switch (letter) {
	case 'f':
		w->from[w->n_from++] = value;
		return 0;
	case 'o':
		w->to = value;
		return 0;
	case 't':
		w->tenant = value;
		return 0;
	case 'k':
		w->key = value;
		return 0;
	case 'c':
		w->cache = value;
		return 0;
	case 'g':
		w->keep = value;
		return 0;
	case 'l':
		w->listen = value;
		return 0;
	case 'w':
		w->without[w->n_without++] = value;
		return 0;
	case 'v':
		w->over[w->n_over++] = value;
		return 0;
	case 'y':
		w->layer = value;
		return 0;
	case 'x':
	case 'd':
		return 0;
	default:
		return usage("an option is not known, or lacks its value", NULL, e);
	}
}

static int check_words(const struct verb *v, const struct words *w, struct aisbx_error *e)
{
	for (const char *letter = v->needs; *letter; letter++)
		if (!strchr(w->given, *letter))
			return usage("an option is missing for", v->name, e);
	for (const char *letter = w->given; *letter; letter++)
		if (!strchr(v->needs, *letter) && !strchr(v->may, *letter) && !strchr("tkc", *letter))
			return usage("an option is not for", v->name, e);
	if (!content_tenant_is_good(w->tenant))
		return usage("--tenant is missing, or no name", w->tenant, e);
	return w->key ? 0 : usage("--key is missing", NULL, e);
}

static int fill(const struct verb *v, const struct words *w, struct content_request *q, struct aisbx_error *e)
{
	bool is_push = v->act == content_push;
	int r;

	q->tenant = w->tenant;
	q->listen = w->listen;
	q->dir = is_push ? w->from[0] : w->to;
	q->layer = w->layer;
	q->n_without = w->n_without;
	memcpy(q->without, w->without, sizeof(q->without));
	q->n_over = w->n_over;
	memcpy(q->over, w->over, sizeof(q->over));
	q->is_exact = strchr(w->given, 'x');
	q->is_condemned = strchr(w->given, 'd');
	q->n_stores = is_push ? 1 : w->n_from;
	for (size_t i = 0; i < q->n_stores; i++)
		q->stores[i] = is_push ? w->to : w->from[i];
	if (w->keep && (!str_to_u64(w->keep, &q->keep) || !q->keep || q->keep > 1000000))
		return usage("--keep-generations is no number of them", w->keep, e);
	r = content_key_load(w->key, w->tenant, &q->key, e);
	return r < 0 ? r : content_cache_open(w->cache, &q->key, &q->cache, e);
}

static int act(int argc, char **argv, json_t **ret, struct aisbx_error *e)
{
	struct content_request q = { .cache = CONTENT_CACHE_INIT };
	const struct verb *v = NULL;
	struct words w = { 0 };
	int letter, r = 0;

	opterr = 0;
	while (r == 0 && (letter = getopt_long(argc, argv, "", options, NULL)) >= 0)
		r = take_option(&w, letter, optarg, e);
	if (r < 0)
		return r;
	for (size_t i = 0; optind < argc && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(verbs[i].name, argv[optind]))
			v = &verbs[i];
	if (!v)
		return usage("there is no verb", optind < argc ? argv[optind] : "", e);
	if (argc - optind != 1 + v->has_id || (v->has_id && !content_id_read(argv[optind + 1], q.id)))
		return usage("the id of a tree is missing, or wrong", NULL, e);
	r = check_words(v, &w, e);
	if (r == 0)
		r = fill(v, &w, &q, e);
	if (r == 0)
		r = v->act(&q, ret, e);
	content_cache_finish(&q.cache);
	content_key_finish(&q.key);
	return r;
}

int main(int argc, char **argv)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *told = NULL, *line;
	int r;

	std_fds_hold();
	curl_global_init(CURL_GLOBAL_ALL);
	r = act(argc, argv, &told, &e);
	line = r == 0 ? json_pack("{s:o}", "ok", told)
		      : json_pack("{s:{s:s,s:i,s:s%}}", "error", "kind", aisbx_kind_name(e.kind), "code", r,
				  "text", e.text, strlen(e.text));
	if (line)
		json_dumpf(line, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(line);
	return fflush(stdout) == 0 && line && r == 0 ? 0 : 1;
}
