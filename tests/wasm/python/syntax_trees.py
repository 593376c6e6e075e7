# SPDX-License-Identifier: Apache-2.0
# Expressions and statements as syntax trees and back.
#: binop
import ast
t = ast.parse('a + b * c', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: compare
import ast
t = ast.parse('1 < x <= 9 != y', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: ifexp
import ast
t = ast.parse('a if b else c', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: listcomp
import ast
t = ast.parse('[x for x in y if x]', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: dictcomp
import ast
t = ast.parse('{k: v for k, v in d}', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: subscript
import ast
t = ast.parse('a[1:2, ::3]', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: starred
import ast
t = ast.parse('[*a, 1]', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: set
import ast
t = ast.parse('{1, 2}', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: tuple
import ast
t = ast.parse('(1,)', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: walrus
import ast
t = ast.parse('(y := 5)', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: bytes
import ast
t = ast.parse('b"x" + b"y"', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: ellipsis
import ast
t = ast.parse('...', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: matmul
import ast
t = ast.parse('a @ b', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: chained-call
import ast
t = ast.parse('a(1)(2)[3].d', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: slice-step
import ast
t = ast.parse('s[::-1]', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: const
import ast
t = ast.parse('(1, 2.5, "t", None, True, 3j)', mode="eval")
print(ast.dump(t))
print(ast.unparse(t))
print([type(n).__name__ for n in ast.walk(t)][:9])
#: stmt-augassign
import ast
src = 'x += 1'
t = ast.parse(src)
print(ast.dump(t, indent=1))
print(ast.unparse(t))
#: stmt-annassign
import ast
src = 'x: int = 3'
t = ast.parse(src)
print(ast.dump(t, indent=1))
print(ast.unparse(t))
#: stmt-while
import ast
src = 'while 1:\n    break'
t = ast.parse(src)
print(ast.dump(t, indent=1))
print(ast.unparse(t))
#: stmt-with
import ast
src = 'with a as b, c:\n    pass'
t = ast.parse(src)
print(ast.dump(t, indent=1))
print(ast.unparse(t))
#: stmt-import
import ast
src = 'import a.b as c, d'
t = ast.parse(src)
print(ast.dump(t, indent=1))
print(ast.unparse(t))
#: stmt-importfrom
import ast
src = 'from . import x as y'
t = ast.parse(src)
print(ast.dump(t, indent=1))
print(ast.unparse(t))
#: stmt-assert
import ast
src = 'assert a, b'
t = ast.parse(src)
print(ast.dump(t, indent=1))
print(ast.unparse(t))
#: stmt-raise
import ast
src = 'raise A from b'
t = ast.parse(src)
print(ast.dump(t, indent=1))
print(ast.unparse(t))
#: stmt-match
import ast
src = 'match x:\n    case [1, *r]:\n        pass\n    case {"k": v}:\n        pass'
t = ast.parse(src)
print(ast.dump(t, indent=1))
print(ast.unparse(t))
#: stmt-if-elif
import ast
src = 'if a:\n    1\nelif b:\n    2\nelse:\n    3'
t = ast.parse(src)
print(ast.dump(t, indent=1))
print(ast.unparse(t))
