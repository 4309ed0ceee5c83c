import { readFileSync } from 'node:fs';
import { raw } from 'jq-wasm';

/** jq, for machines that have none: the same program, in WebAssembly. */
const given = process.argv.slice(2);
const flags = given.filter((each) => each.startsWith('-'));
const [filter = '.', file] = given.filter((each) => !each.startsWith('-'));
console.log((await raw(readFileSync(file ?? 0, 'utf8'), filter, flags)).trimEnd());
