# tricky-benign: compiles a pattern and evaluates a formula by a library
import re
import sympy

expr = sympy.sympify("x**2 + 2*x + 1")
print(sympy.factor(expr), expr.subs("x", 3).evalf())
print(re.compile(r"rm -rf (\S+)").findall("rm -rf build"))
