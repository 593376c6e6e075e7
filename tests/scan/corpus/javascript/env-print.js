// tricky-benign: prints names of variables, sends nothing
for (const name of Object.keys(process.env).sort()) console.log(name);
