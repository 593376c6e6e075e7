# tricky-benign: a calculator without eval
import ast
import operator

OPS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}

def calc(node):
    if isinstance(node, ast.Expression):
        return calc(node.body)
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.BinOp):
        return OPS[type(node.op)](calc(node.left), calc(node.right))
    raise ValueError(node)

print(calc(ast.parse("2 * (3 + 4)", mode="eval")))
