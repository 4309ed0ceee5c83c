#!/usr/bin/env node
// Plain JavaScript for whatever Node is there, from 20 on. Not a module: importing node:fs from one loads all its streams, which takes longer than we do.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

// What V8 made of the code is kept for the next time.
require('node:module').enableCompileCache?.();
const built = join(__dirname, '../dist/main.cjs');
if (existsSync(built)) require(built);
else {
  console.error('siteyard is not built yet: run `npm start` once in the checkout, or `node scripts/setup.mjs`.');
  process.exitCode = 1;
}
