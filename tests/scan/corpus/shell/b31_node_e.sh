# benign: one line of node
node -e 'const p=require("./package.json"); console.log(p.name, p.version)'
