# tricky: pieces in the namespace of exec
ns = {"a": "rm -rf ", "b": "~"}
exec("import os\nos.system(a + b)", ns)
