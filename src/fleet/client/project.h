/* SPDX-License-Identifier: Apache-2.0 */
/* A job's project on its way there, and what the job changed on its way home. What must be known for that
 * lies in a file beside the table of jobs, so that another command, or the same after a crash, can bring it
 * home. */
#ifndef FLEET_CLIENT_PROJECT_H
#define FLEET_CLIENT_PROJECT_H

#include <jansson.h>

#include "fleet/agent/options.h"
#include "fleet/agent/saved.h"
#include "fleet/core/types.h"

/* What is done with a job's changes. */
struct client_project {
	const struct fleet_options *fleet; /* borrowed, as all here; store and store_key */
	const char *dir;                   /* of the table of jobs */
	bool quiet;
};

/*
 * Sends the project of this directory, or what the box of --base has made of its own; the settings of that
 * box go into ARGUMENTS. RET_PLAN: what client_project_save saves, and what a job's body says of it as
 * "body"; a new reference.
 */
int client_project_send(const struct fleet_options *fleet, json_t *arguments, bool quiet, json_t **ret_plan,
			struct aisbx_error *e);
/* Before JOB is submitted. */
int client_project_save(const char *dir, const char *job, const json_t *plan, struct aisbx_error *e);
/* Of a job that has ended: once, however often it is called. RET_BOX: the box with the changes; "": there are
 * none. */
int client_project_bring(const struct client_project *p, const struct fleet_job *job,
			 const struct fleet_record *record, char ret_box[FLEET_NAME], struct aisbx_error *e);
/* Tells a person what came of it: R and E are that call's. */
void client_project_tell(const struct client_project *p, const struct fleet_job *job, const char *box, int r,
			 const struct aisbx_error *e);
/* Notes of jobs that are not in the table any more go. */
void client_project_forget(const char *dir, struct saved *table);

#endif
