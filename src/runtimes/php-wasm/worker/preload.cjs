// SPDX-License-Identifier: GPL-2.0-or-later
// Under Node's permission model there is no process.binding; php-wasm asks it for the constants of fs and nothing else.
const fs = require('node:fs').constants;
Object.defineProperty(process, 'binding', {
  value: (name) => {
    if (name === 'constants') return { fs };
    throw new Error('process.binding is not available');
  },
});

// Whoever imports node:http reads all that it has, and these three would load Node's whole fetch, which nobody here uses.
const http = require('node:http');
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) delete http[name];
