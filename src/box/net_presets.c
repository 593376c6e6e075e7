/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads where the person's package managers get packages: variables and files by a table, each format as far
 * as it takes to find the URLs behind certain keys. Only names become rules: an address needs one that a
 * person wrote.
 */
#include "box/net_presets.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/net_settings.h"
#include "policy/egress.h"
#include "policy/egress_presets.h"

#define MAX_BYTES (256u << 10) /* of a file */
#define MAX_HOSTS 64u          /* of a preset */
#define MAX_FILES 64u          /* of a directory */
#define PIP_KEYS  "index-url|extra-index-url|find-links|trusted-host"
#define GO_KEYS   "goproxy|gosumdb|gonosumdb|gonoproxy|goprivate|goinsecure"

struct hosts {
	const struct caller *by;
	const char *project;    /* borrowed; or NULL */
	struct strlist shipped; /* owned; rules that the preset has anyway, and that are not private */
	struct strlist *rules;
	const char *preset;
	struct strlist *settings; /* NULL: what is read is not to be told to the box */
	struct aisbx_error *e;
};

/* How a file is read. */
enum format {
	FORMAT_INI,  /* KEY = URLS, also on the lines below that begin with a space */
	FORMAT_YAML, /* KEY: URLS */
	FORMAT_TOML, /* every URL below [KEYS...] */
	FORMAT_XML,  /* <url>URL</url> */
	FORMAT_APT,  /* deb URL ... */
};

enum base {
	BASE_ROOT,     /* the path as it is */
	BASE_HOME,     /* of the person */
	BASE_CONFIG,   /* $XDG_CONFIG_HOME, or ~/.config */
	BASE_VARIABLE, /* the path is in a variable of that name */
};

static const struct source {
	const char *preset;
	enum base base;
	const char *path;
	enum format format;
	const char *keys; /* "a|b": lower case, '-' for '_'; "*a": what ends so */
} sources[] = {
	{ "python-packages", BASE_ROOT, "/etc/pip.conf", FORMAT_INI, PIP_KEYS },
	{ "python-packages", BASE_ROOT, "/etc/xdg/pip/pip.conf", FORMAT_INI, PIP_KEYS },
	{ "python-packages", BASE_HOME, ".pip/pip.conf", FORMAT_INI, PIP_KEYS },
	{ "python-packages", BASE_CONFIG, "pip/pip.conf", FORMAT_INI, PIP_KEYS },
	{ "python-packages", BASE_VARIABLE, "PIP_CONFIG_FILE", FORMAT_INI, PIP_KEYS },
	{ "npm", BASE_ROOT, "/etc/npmrc", FORMAT_INI, "registry|*:registry" },
	{ "npm", BASE_ROOT, "/usr/etc/npmrc", FORMAT_INI, "registry|*:registry" },
	{ "npm", BASE_ROOT, "/usr/local/etc/npmrc", FORMAT_INI, "registry|*:registry" },
	{ "npm", BASE_HOME, ".npmrc", FORMAT_INI, "registry|*:registry" },
	{ "npm", BASE_VARIABLE, "NPM_CONFIG_USERCONFIG", FORMAT_INI, "registry|*:registry" },
	{ "npm", BASE_HOME, ".yarnrc.yml", FORMAT_YAML, "npmregistryserver" },
	{ "go", BASE_CONFIG, "go/env", FORMAT_INI, GO_KEYS },
	{ "go", BASE_VARIABLE, "GOENV", FORMAT_INI, GO_KEYS },
	{ "crates", BASE_HOME, ".cargo/config.toml", FORMAT_TOML, "source|registries|registry" },
	{ "crates", BASE_HOME, ".cargo/config", FORMAT_TOML, "source|registries|registry" },
	{ "maven", BASE_ROOT, "/etc/maven/settings.xml", FORMAT_XML, "url" },
	{ "maven", BASE_HOME, ".m2/settings.xml", FORMAT_XML, "url" },
	{ "debian", BASE_ROOT, "/etc/apt/sources.list", FORMAT_APT, "" },
};

/* Directories of files, by the end of their names. */
static const struct {
	const char *preset, *dir, *suffix;
	enum format format;
	const char *keys;
} directories[] = {
	{ "debian", "/etc/apt/sources.list.d", ".list", FORMAT_APT, "" },
	{ "debian", "/etc/apt/sources.list.d", ".sources", FORMAT_YAML, "uris" },
};

static const struct {
	const char *preset, *name; /* '*' stands for anything */
} variables[] = {
	{ "python-packages", "PIP_INDEX_URL" },
	{ "python-packages", "PIP_EXTRA_INDEX_URL" },
	{ "python-packages", "PIP_FIND_LINKS" },
	{ "python-packages", "UV_DEFAULT_INDEX" },
	{ "python-packages", "UV_INDEX" },
	{ "python-packages", "UV_INDEX_URL" },
	{ "python-packages", "UV_EXTRA_INDEX_URL" },
	{ "npm", "NPM_CONFIG_REGISTRY" },
	{ "npm", "npm_config_registry" },
	{ "npm", "YARN_NPM_REGISTRY_SERVER" },
	{ "go", "GOPROXY" },
	{ "go", "GOSUMDB" },
	{ "crates", "CARGO_REGISTRIES_*_INDEX" },
};

static int add_host(struct hosts *h, const char *host, size_t len, const char *port)
{
	struct egress_rule rule;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	char text[EGRESS_RULE_MAX];

	if (!len || len >= EGRESS_NAME_MAX || h->rules->n >= MAX_HOSTS || memchr(host, '*', len))
		return 0;
	snprintf(text, sizeof(text), "%.*s:%s", (int)len, host, port);
	if (egress_rule_parse(text, &rule, &ignored) < 0 || rule.kind != EGRESS_NAMES || !rule.port ||
	    strlist_has(&h->shipped, rule.text))
		return 0;
	strcat(text, " private"); /* as the mirror of a company often is */
	return egress_expand(text, h->rules, h->e);
}

/* SCHEME://[USER@]HOST[:PORT], where AT is "://..." and SCHEME before it has N letters. Moves *END behind it.
 */
static int add_url(struct hosts *h, const char *at, size_t n, const char **end)
{
	static const char *const ports[][2] = { { "https", "443" }, { "http", "80" }, { "ssh", "22" } };
	const char *host = at + 3, *stop = host + strcspn(host, "/?#\"' \t\r\n,|<>()[]{}\\"), *user, *colon;
	char port[8] = "";

	*end = stop;
	for (size_t i = 0; i < sizeof(ports) / sizeof(*ports); i++) {
		size_t len = strlen(ports[i][0]);

		if (n >= len && !strncasecmp(at - len, ports[i][0], len) &&
		    (n == len || at[-(ptrdiff_t)len - 1] == '+'))
			snprintf(port, sizeof(port), "%s", ports[i][1]);
	}
	if (!*port)
		return 0;
	user = memrchr(host, '@', (size_t)(stop - host));
	host = user ? user + 1 : host;
	colon = memchr(host, ':', (size_t)(stop - host));
	if (colon && stop - colon - 1 > 5)
		return 0;
	if (colon && stop - colon > 1)
		snprintf(port, sizeof(port), "%.*s", (int)(stop - colon - 1), colon + 1);
	return add_host(h, host, (size_t)((colon ? colon : stop) - host), port);
}

/* Every URL of a text. */
static int add_urls(struct hosts *h, const char *text)
{
	int r = 0;

	for (const char *at = text; r == 0 && (at = strstr(at, "://"));) {
		size_t n = 0;

		while (at - n > text &&
		       (isalpha((unsigned char)at[-(ptrdiff_t)n - 1]) || at[-(ptrdiff_t)n - 1] == '+'))
			n++;
		r = add_url(h, at, n, &at);
	}
	return r;
}

/* Go's database of checksums: "NAME", "NAME+KEY", "NAME URL". */
static int add_sumdb(struct hosts *h, const char *value)
{
	size_t n;
	int r = add_urls(h, value);

	value += strspn(value, " \t\"'");
	n = strcspn(value, "+ \t\"'");
	return r < 0 || strstr(value, "://") || !memchr(value, '.', n) ? r : add_host(h, value, n, "443");
}

/* MORE: a line that continues the value of KEY. */
static int add_value(struct hosts *h, const char *key, const char *value, bool more)
{
	if (h->settings)
		net_setting_add(h->settings, h->preset, key, value, more);
	return strcasecmp(key, "gosumdb") ? add_urls(h, value) : add_sumdb(h, value);
}

/* The key before SEPARATOR, as keys of the table are written; NULL, or what is behind it. */
static const char *split(const char *line, char separator, char key[64])
{
	const char *at = strchr(line, separator);
	size_t n = 0;

	line += strspn(line, " \t\"'");
	for (; at && line < at && n < 63 && !strchr(" \t\"'", *line); line++)
		key[n++] = *line == '_' ? '-' : (char)tolower((unsigned char)*line);
	key[n] = '\0';
	return at ? at + 1 : NULL;
}

static bool has_key(const char *key, const char *keys)
{
	for (size_t n; *key; keys += n + 1) {
		n = strcspn(keys, "|");
		if (*keys == '*'
			    ? strlen(key) >= n - 1 && !strncmp(key + strlen(key) - (n - 1), keys + 1, n - 1)
			    : strlen(key) == n && !strncmp(key, keys, n))
			return true;
		if (!keys[n])
			break;
	}
	return false;
}

struct lines {
	enum format format;
	const char *keys;
	bool counts;  /* the key or section that lines belong to is one of KEYS */
	char key[64]; /* or the section */
};

/* TEXT up to one of END, without spaces and quotes, behind what KEY has. */
static void add_key(char key[64], const char *text, const char *end)
{
	size_t n = strlen(key);

	for (; *text && !strchr(end, *text) && n < 63; text++)
		if (!strchr(" \t[\"'", *text))
			key[n++] = *text;
	key[n] = '\0';
}

/* A registry's "index", whichever of TOML's ways it is written in: registries.NAME.index = "URL", or
 * registries.NAME = { index = "URL" }. */
static void tell_toml(struct hosts *h, const struct lines *l, const char *line)
{
	const char *equals = strchr(line, '='), *value = equals ? equals + 1 : NULL;
	char key[64] = "", text[512];

	if (!h->settings || !value)
		return;
	add_key(key, l->key, "");
	add_key(key, *key ? "." : "", "");
	add_key(key, line, "=");
	if (value[strspn(value, " \t")] == '{') {
		value = strstr(value, "index");
		equals = value ? strchr(value, '=') : NULL;
		if (!equals)
			return;
		value = equals + 1;
		add_key(key, ".index", "");
	}
	value += strspn(value, " \t\"'");
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(value, "\"' \t,}"), value);
	net_setting_add(h->settings, h->preset, key, text, false);
}

/* "[source.crates-io]", and keys such as "registries.mine.index". */
static int read_toml(struct hosts *h, struct lines *l, const char *line)
{
	const char *name = line + strspn(line, " \t[\"'");
	bool section = *line == '[';
	char first[64];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(name, ".] \t=\"'"), name);
	if (section) {
		l->counts = has_key(first, l->keys);
		l->key[0] = '\0';
		add_key(l->key, line, "]");
	} else {
		tell_toml(h, l, line);
	}
	return section || !(l->counts || has_key(first, l->keys)) ? 0 : add_urls(h, line);
}

static int read_line(struct hosts *h, struct lines *l, char *line)
{
	char *comment = strstr(line, " #");
	const char *value;

	if (comment)
		*comment = '\0';
	if (strchr("#;\r", line[strspn(line, " \t")])) /* also an empty one */
		return 0;
	if (l->format == FORMAT_TOML)
		return read_toml(h, l, line);
	if (l->format == FORMAT_APT)
		return strncmp(line, "deb", 3) ? 0 : add_urls(h, line);
	if (l->counts && (*line == ' ' || *line == '\t'))
		return add_value(h, l->key, line, true);
	value = split(line, l->format == FORMAT_YAML ? ':' : '=', l->key);
	l->counts = value && has_key(l->key, l->keys);
	return l->counts ? add_value(h, l->key, value, false) : 0;
}

static int read_xml(struct hosts *h, char *text)
{
	int r = 0;

	for (char *at = text, *end; (at = strstr(at, "<!--"));) { /* what is a comment is blank */
		end = strstr(at, "-->");
		memset(at, ' ', end ? (size_t)(end - at) : strlen(at));
	}
	for (char *at = text, *end; r == 0 && (at = strstr(at, "<url>")) && (end = strstr(at, "</url>"));
	     at = end) {
		*end++ = '\0';
		r = add_urls(h, at);
	}
	return r;
}

static int read_text(struct hosts *h, enum format format, const char *keys, char *text)
{
	struct lines l = { .format = format, .keys = keys };
	int r = 0;

	if (format == FORMAT_XML)
		return read_xml(h, text);
	for (char *line; r == 0 && (line = strsep(&text, "\n"));)
		r = read_line(h, &l, line);
	return r;
}

/* Whatever is not a file that can be read says nothing. */
static int read_file(struct hosts *h, enum format format, const char *keys, const char *path)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	scoped(buf_finish) struct buf text = { 0 };
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > MAX_BYTES ||
	    io_read_all(fd, MAX_BYTES, &text) < 0 || text.len > MAX_BYTES || !text.data)
		return 0;
	return read_text(h, format, keys, text.data);
}

/* Heap; NULL: there is none. */
static char *source_path(const struct hosts *h, const struct source *s)
{
	const char *home = caller_variable(h->by, "HOME"),
		   *config = caller_variable(h->by, "XDG_CONFIG_HOME"),
		   *cargo = caller_variable(h->by, "CARGO_HOME");

	switch (s->base) {
	case BASE_ROOT:
		return strdup(s->path);
	case BASE_HOME:
		if (cargo && !strncmp(s->path, ".cargo/", 7))
			return path_join(cargo, s->path + 7);
		return home ? path_join(home, s->path) : NULL;
	case BASE_CONFIG:
		if (config)
			return path_join(config, s->path);
		config = ".config";
		break;
	case BASE_VARIABLE:
		return caller_variable(h->by, s->path) ? strdup(caller_variable(h->by, s->path)) : NULL;
	}
	scoped(drop_mem) char *dir = home ? path_join(home, config) : NULL;

	return dir ? path_join(dir, s->path) : NULL;
}

static int read_files(struct hosts *h, const char *preset)
{
	struct strlist *settings = h->settings;
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(sources) / sizeof(*sources); i++) {
		scoped(drop_mem) char *path =
			strcmp(sources[i].preset, preset) ? NULL : source_path(h, &sources[i]);

		/* Not the project's files: what an agent can write must not open a way out. */
		h->settings =
			sources[i].base == BASE_ROOT ? NULL : settings; /* the machine's: the box has it */
		if (path && *path == '/' && !(h->project && path_is_within(path, h->project)))
			r = read_file(h, sources[i].format, sources[i].keys, path);
	}
	h->settings = settings;
	return r;
}

static int read_directory(struct hosts *h, size_t which)
{
	DIR *dir = opendir(directories[which].dir);
	size_t left = MAX_FILES;
	int r = 0;

	for (struct dirent *d; dir && r == 0 && left && (d = readdir(dir)); left--) {
		size_t n = strlen(d->d_name), end = strlen(directories[which].suffix);
		scoped(drop_mem) char *path = NULL;

		if (n <= end || strcmp(d->d_name + n - end, directories[which].suffix) != 0)
			continue;
		path = path_join(directories[which].dir, d->d_name);
		if (path)
			r = read_file(h, directories[which].format, directories[which].keys, path);
	}
	if (dir)
		closedir(dir);
	return r;
}

static bool has_variable(const char *preset, const char *name)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (!strcmp(variables[i].preset, preset) && str_matches(name, variables[i].name))
			return true;
	return false;
}

static int read_variables(struct hosts *h, const char *preset)
{
	int r = 0;

	for (const char *const *v = h->by->env; v && *v && r == 0; v++) {
		size_t n = strcspn(*v, "=");
		char name[128];

		if (!(*v)[n] || n >= sizeof(name))
			continue;
		memcpy(name, *v, n);
		name[n] = '\0';
		if (h->settings && (has_variable(preset, name) || net_setting_is(preset, name)))
			net_setting_add_variable(h->settings, name, *v + n + 1);
		if (has_variable(preset, name))
			r = add_value(h, name, *v + n + 1, false);
	}
	return r;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int net_preset_hosts(const char *preset, const struct caller *by, const char *project, struct strlist *ret,
		     struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist found = { 0 };
	struct hosts h = { .by = by, .project = project, .preset = preset, .rules = &found, .e = e };
	int r = egress_expand(preset, &h.shipped, e);

	if (r == 0)
		r = read_variables(&h, preset);
	if (r == 0)
		r = read_files(&h, preset);
	for (size_t i = 0; r == 0 && i < sizeof(directories) / sizeof(*directories); i++)
		if (!strcmp(directories[i].preset, preset))
			r = read_directory(&h, i);
	/* The same for everybody who joins a box, in whatever order variables and files are. */
	if (found.n)
		qsort(found.items, found.n, sizeof(*found.items), by_name);
	for (size_t i = 0; r == 0 && i < found.n; i++)
		r = egress_expand(found.items[i], ret, e);
	strlist_finish(&h.shipped);
	return r;
}

int net_preset_settings(const char *preset, const struct caller *by, const char *project, struct strlist *ret,
			struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist rules = { 0 };
	struct hosts h = {
		.by = by, .project = project, .preset = preset, .rules = &rules, .settings = ret, .e = e
	};
	int r = read_files(&h, preset);

	if (r == 0)
		r = read_variables(&h, preset); /* they win */
	return r == 0 && ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "preset '%s'", preset) : r;
}
