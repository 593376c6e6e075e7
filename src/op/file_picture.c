/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of a box for a model that looks at it: all of it, in base64, or an error that says what to do. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "box/picture.h"
#include "op/file.h"

const char *op_file_picture_type(const struct box_act *f)
{
	const struct file_answer *a = &f->reply.head;

	return a->offset ? NULL
			 : picture_type(f->reply.data + a->before, a->data_len - a->before - a->behind);
}

int op_file_picture(struct op_context *ctx, const json_t *args, const char *media, json_t **ret_result,
		    struct aisbx_error *e)
{
	struct box_window whole = BOX_WINDOW_INIT;
	const struct box_path path = op_file_path(args, "path");
	json_t *as = json_pack("{s:s}", "encoding", op_file_encodings[1]);
	scoped(box_act_finish) struct box_act f = { 0 };
	char size[32];
	int r;

	whole.limit = OP_PICTURE_MAX;
	r = box_file_read(&ctx->by, op_text(args, "box"), &path, &whole, &f, e);
	if (r == 0 && f.reply.head.behind) {
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EFBIG,
				 "'%s' is a picture of more than %s", f.path,
				 str_size(OP_PICTURE_MAX, size, sizeof(size)));
		aisbx_hint(e, "make a smaller copy of it in the box, or read its bytes with encoding base64");
	}
	if (r == 0)
		r = op_file_content(&f, as, ret_result, e);
	if (r == 0 && json_is_true(json_object_get(*ret_result, "redacted"))) {
		json_decref(*ret_result);
		*ret_result = NULL;
		r = aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EACCES,
				 "'%s' is a picture with a secret in it that was given to a box", f.path);
	}
	if (r == 0)
		json_object_set_new(*ret_result, "media", json_string(media));
	json_decref(as);
	return r;
}
