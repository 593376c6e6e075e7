/* SPDX-License-Identifier: Apache-2.0 */
/* Linked by meson.build to see whether aisbx can be static here: something of each library, SQLite's loader
 * among it. */
#include <jansson.h>
#include <sqlite3.h>
#include <yaml.h>
#include <zlib.h>

int main(void)
{
	sqlite3 *db = NULL;
	yaml_parser_t parser;
	json_t *object = json_object();
	int good = object && sqlite3_open(":memory:", &db) == SQLITE_OK && yaml_parser_initialize(&parser) &&
		   compressBound(1);

	return good ? 0 : 1;
}
