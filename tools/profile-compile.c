/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the shipped profiles with the reader that also reads those of people, and writes them as a table in
 * C: a run that uses one of them parses nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/profile.h"

const struct profile_layer profile_shipped[1]; /* what is being made */

static void put_text(FILE *out, const char *text)
{
	if (!text) {
		fprintf(out, "NULL");
		return;
	}
	fputc('"', out);
	for (; *text; text++)
		fprintf(out,
			strchr("\"\\?", *text) || (unsigned char)*text < ' ' || (unsigned char)*text > '~'
				? "\\%03o"
				: "%c",
			(unsigned char)*text);
	fputc('"', out);
}

static void put_layer(FILE *out, const struct profile_layer *l)
{
	fprintf(out, "static const struct profile_setting settings_of_%s[] = {\n", l->name);
	for (size_t i = 0; i < l->n_settings; i++) {
		const struct profile_setting *s = &l->settings[i];

		fprintf(out, "\t{ &profile_keys[%td], ",
			s->key - profile_keys); /* by place: nothing to look up when it is used */
		put_text(out, s->name);
		fprintf(out, ", ");
		put_text(out, s->value);
		fprintf(out, ", %u, %u },\n", s->line, s->column);
	}
	fprintf(out, "};\n");
}

static void put_row(FILE *out, const struct profile_layer *l)
{
	fprintf(out, "\t{ .file = \"shipped:%s\", .name = \"%s\", .about = ", l->name, l->name);
	put_text(out, l->about);
	fprintf(out, ", .extends = ");
	put_text(out, l->extends);
	fprintf(out, ", .extends_line = %u,\n\t  .settings = settings_of_%s, .n_settings = %zu },\n",
		l->extends_line, l->name, l->n_settings);
}

static int read_file(const char *path, struct profile_layer *ret)
{
	static char text[PROFILE_MAX_BYTES + 1];
	struct aisbx_error e = AISBX_ERROR_INIT;
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0;

	if (!f || ferror(f)) {
		perror(path);
		return -1;
	}
	fclose(f);
	if (profile_parse(text, n, path, ret, &e) < 0) {
		fprintf(stderr, "%s\n", e.text);
		return -1;
	}
	if (!ret->name || !ret->about || ret->services.n) {
		fprintf(stderr, "%s: a shipped profile has a name and a line about it, and no services\n",
			path);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct profile_layer *layers = calloc((size_t)argc, sizeof(*layers));
	FILE *out = argc > 2 ? fopen(argv[1], "we") : NULL;

	if (!out || !layers) {
		fprintf(stderr, "usage: profile-compile OUTPUT PROFILE.yaml...\n");
		return 1;
	}
	fprintf(out, "/* Made by tools/profile-compile.c from profiles/; do not change. */\n");
	for (int i = 2; i < argc; i++) {
		if (read_file(argv[i], &layers[i]) < 0)
			return 1;
		put_layer(out, &layers[i]);
	}
	fprintf(out, "const struct profile_layer profile_shipped[] = {\n");
	for (int i = 2; i < argc; i++)
		put_row(out, &layers[i]);
	fprintf(out, "};\n");
	for (int i = 2; i < argc; i++)
		profile_layer_finish(&layers[i]);
	free(layers);
	return fclose(out) == 0 ? 0 : 1;
}
