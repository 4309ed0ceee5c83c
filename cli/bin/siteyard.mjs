#!/usr/bin/env node
// Plain JavaScript for whatever Node is there, from 20 on. What V8 made of the code is kept for the next time.
import { existsSync } from 'node:fs';
import module from 'node:module';

module.enableCompileCache?.();
const built = new URL('../dist/main.js', import.meta.url);
if (existsSync(built)) await import(built.href);
else {
  console.error('siteyard is not built yet: run `npm start` once in the checkout, or `node scripts/setup.mjs`.');
  process.exitCode = 1;
}
