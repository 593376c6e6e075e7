/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what aisbx.yaml says about judges: which files they are, and whose version is used. */
#include <stdlib.h>
#include <string.h>

#include "project/read.h"

void project_judges_finish(struct project *p)
{
	for (size_t i = 0; i < p->n_judges; i++) {
		free(p->judges[i].path);
		free(p->judges[i].dir);
	}
	free(p->judges);
}

static const struct doc_shape path_shape = { .kind = DOC_TEXT, .pattern = PROJECT_BELOW };
const struct doc_shape project_judges_shape = { .kind = DOC_LIST,
						.of = &path_shape,
						.most = PROJECT_MAX_JUDGES };

static int read_one(struct doc *r, const yaml_node_t *n, size_t i, void *into)
{
	struct project *p = into;

	p->n_judges = i + 1;
	return project_read_path(r, n, "a judge", &p->judges[i].path);
}

int project_read_judges(struct doc *r, const yaml_node_t *list, void *into)
{
	struct project *p = into;

	p->judges = calloc(doc_count(list) + 1, sizeof(*p->judges));
	return p->judges ? doc_list(r, list, "judges", &project_judges_shape, read_one, p) : doc_no_memory(r);
}

static const char *const sources[] = { "project", "box", NULL };
const struct doc_shape project_judges_from_shape = { .kind = DOC_CHOICE, .choices = sources };

int project_read_judges_from(struct doc *r, const yaml_node_t *n, bool *ret)
{
	size_t i = 0;
	int err = doc_one_of(r, n, "'judges_from'", sources, &i);

	*ret = i == 1;
	return err;
}
