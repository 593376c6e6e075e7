// tricky-benign: a lint rule that looks for eval
module.exports = {
  meta: { type: 'problem', docs: { description: 'disallow eval and child_process.exec' } },
  create(context) {
    return {
      CallExpression(node) {
        if (node.callee.name === 'eval') context.report({ node, message: 'eval is not allowed' });
        if (node.callee.property?.name === 'exec') context.report({ node, message: 'exec is not allowed' });
      },
    };
  },
};
