/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a header that holds a file as the bytes of a C array. usage: embed NAME FILE HEADER */
#include <stdio.h>

int main(int argc, char **argv)
{
	FILE *in, *out;
	long n = 0;
	int c;

	if (argc != 4)
		return fprintf(stderr, "usage: embed NAME FILE HEADER\n"), 2;
	in = fopen(argv[2], "rb");
	if (!in)
		return perror(argv[2]), 1;
	out = fopen(argv[3], "w");
	if (!out)
		return perror(argv[3]), 1;
	fprintf(out, "/* Made of %s by the build. */\nstatic const char %s[] = {", argv[2], argv[1]);
	while ((c = getc(in)) != EOF)
		fprintf(out, "%s%d,", n++ % 20 ? "" : "\n\t", c > 127 ? c - 256 : c);
	fprintf(out, "\n\t0,\n};\n");
	if (ferror(in) || fclose(in) || fclose(out))
		return perror(argv[3]), 1;
	return 0;
}
