// SPDX-License-Identifier: Apache-2.0
// make.mjs NODE FILE...: of each FILE.wasm, a module, makes the component FILE.component.wasm by the adapter for commands, and with the
// world in FILE.wit if it is there; of each FILE.wat, the text of a component. NODE is where prepare-components put what this needs.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [node, ...files] = process.argv.slice(2);
const jco = pathToFileURL(`${node}/node_modules/@bytecodealliance/jco/`);
const { $init, tools } = await import(new URL("obj/wasm-tools.js", jco));
await $init;
const adapter = readFileSync(new URL("lib/wasi_snapshot_preview1.command.wasm", jco));

function component(file, stem) {
  if (file.endsWith(".wat")) return tools.parse(readFileSync(file, "utf8"));
  const binary = readFileSync(file);
  const world = existsSync(`${stem}.wit`) ? readFileSync(`${stem}.wit`, "utf8") : null;
  return tools.componentNew(world ? tools.componentEmbed({ binary, witSource: world }) : binary, [["wasi_snapshot_preview1", adapter]]);
}

for (const file of files) {
  const stem = file.replace(/\.[^.]+$/, "");
  writeFileSync(`${stem}.component.wasm`, component(file, stem));
}
