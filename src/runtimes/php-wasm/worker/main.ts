// SPDX-License-Identifier: GPL-2.0-or-later
import { guardNetwork } from './network-guard.ts';
import { bootPhp } from './php.ts';
import { run } from './run.ts';
import { serve } from './serve.ts';
import type { Settings } from './settings.ts';

/**
 * One PHP, compiled to WebAssembly, for one site. The program runs under Node's permission model: it can read the
 * shared folders, write its own slot, and start nothing. It ends with its parent.
 */
process.on('disconnect', () => process.exit(0));

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings;
const network = await guardNetwork(settings.allowedNetworks, settings.slot);
const booted = await bootPhp(settings, settings.mode === 'serve' ? 'fpm-fcgi' : 'cli');
if (settings.mode === 'serve') serve(booted, settings, network);
else run(booted, settings, network);
network.seal();
// Everything native is loaded by now. Whatever finds a way to run JavaScript in here must not find one further down.
process.dlopen = () => {
  throw new Error('native code can not be loaded here');
};
