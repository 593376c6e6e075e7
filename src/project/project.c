/* SPDX-License-Identifier: Apache-2.0 */
/* Reads aisbx.yaml: its sections, each by its own file, and their names. */
#include "project/project.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "project/read.h"

_Static_assert(PROJECT_MAX_BYTES == DOC_MAX_BYTES,
	       "a file that is short enough to be read is short enough to be understood");

void project_finish(struct project *p)
{
	strlist_finish(&p->files);
	service_specs_finish(&p->services);
	project_intents_finish(p);
	project_gates_finish(p);
	project_stages_finish(p);
	project_experiments_finish(p);
	project_guard_finish(p);
	project_judges_finish(p);
	project_problems_finish(p);
	*p = (struct project){ 0 };
}

static int read_version(struct doc *r, const yaml_node_t *n, void *into)
{
	const char *text = doc_text(r, n, "'version'");

	(void)into;
	if (!text)
		return r->e->code;
	return !strcmp(text, "1")
		       ? 0
		       : doc_complain(r, n,
				      "unknown version '%.40s'; this aisbx supports 1: write 'version: 1'",
				      text);
}

static int read_services(struct doc *r, const yaml_node_t *map, void *into)
{
	return service_specs_read(r, map, &((struct project *)into)->services);
}

/* They were read before everything else. */
static int pass_gates(struct doc *r, const yaml_node_t *map, void *into)
{
	(void)r;
	(void)map;
	(void)into;
	return 0;
}

static const char *const versions[] = { "1", NULL };
static const struct doc_shape version_shape = { .kind = DOC_CHOICE, .choices = versions };
static const struct doc_key top_keys[] = {
	{ "version", read_version, &version_shape, "version of the file format" },
	{ "services", read_services, &service_specs_shape, "programs that run beside a command in its box" },
	{ "intents", project_read_intents, &project_intents_shape,
	  "the project's commands for test, build and so on" },
	{ "gates", pass_gates, &project_gates_shape, "named lists of conditions" },
	{ "stages", project_read_stages, &project_stages_shape, "stages that a change goes through" },
	{ "experiments", project_read_experiments, &project_experiments_shape,
	  "approaches that are tried side by side" },
	{ "guard", project_read_guard, &project_guard_shape, "rules of the guard" },
	{ "judges", project_read_judges, &project_judges_shape,
	  "files and directories of which the person's own version is used for checks, besides those that "
	  "the checks name" },
	{ .name = NULL },
};
const struct doc_shape project_shape = { .kind = DOC_KEYS, .keys = top_keys };

static int read_root(struct doc *r, const yaml_node_t *root, void *into)
{
	const yaml_node_t *gates = doc_find(r, root, "gates");
	int first = gates ? project_read_gates(r, gates, into) : 0, err;

	if (!doc_goes_on(r, first))
		return first;
	err = doc_mapping(r, root, "the file", top_keys, into);
	return first ? first : err;
}

static int read_all(const char *text, size_t len, const char *file, struct strlist *all,
		    struct project *ret_project, struct aisbx_error *e)
{
	scoped(project_finish) struct project p = { 0 };
	struct project_reading reading = { .p = &p };
	struct doc r = { .file = file, .e = e, .all = all, .of = &reading };
	int err = doc_read_root(&r, text, len, read_root, &p);

	free(reading.states);
	if (err < 0)
		return err;
	*ret_project = p;
	p = (struct project){ 0 };
	return 0;
}

int project_parse(const char *text, size_t len, const char *file, struct project *ret_project,
		  struct aisbx_error *e)
{
	return read_all(text, len, file, NULL, ret_project, e);
}

int project_parse_all(const char *text, size_t len, const char *file, struct project *ret_project,
		      struct strlist *ret_errors, struct aisbx_error *e)
{
	int err = read_all(text, len, file, ret_errors, ret_project, e);

	if (err < 0 && err != -ENOMEM &&
	    !ret_errors->n) /* what has no line: the file is too long, or no text */
		strlist_add(ret_errors, e->text);
	return err;
}
