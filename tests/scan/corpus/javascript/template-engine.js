// tricky-benign: fills in a template without running code
function render(tpl, vars) {
  return tpl.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, k) => String(vars[k] ?? ''));
}
console.log(render('Hello {{ name }}, you owe {{sum}}', { name: 'Ada', sum: 12 }));
