// SPDX-License-Identifier: GPL-2.0-or-later
import { readFile } from 'node:fs/promises';
import { getPHPLoaderModule } from '@php-wasm/node';

type Imports = Record<string, Record<string, unknown>>;
type Receive = (instance: unknown, module: unknown) => void;
type Call = (...args: number[]) => number;

/** How PHP is put into WebAssembly, with some of the system calls that it gets from php-wasm replaced by ours. */
export async function withSystemCalls(
  phpVersion: string,
  calls: Record<string, (descriptor: number) => Promise<number>>,
  /** Those that answer at once, and may go on to what they stand in front of. */
  guards: Record<string, (original: Call) => Call>,
): Promise<{ instantiateWasm(imports: Imports, receive: Receive): void }> {
  const { dependencyFilename } = await getPHPLoaderModule(phpVersion);
  const bytes = await readFile(dependencyFilename);
  return {
    instantiateWasm(imports, receive) {
      for (const functions of [imports.env, imports.wasi_snapshot_preview1]) {
        for (const [name, call] of Object.entries(calls)) {
          // PHP is held up until the promise is kept.
          if (functions && name in functions) functions[name] = new WebAssembly.Suspending(call);
        }
        for (const [name, guard] of Object.entries(guards)) {
          if (functions && name in functions) functions[name] = guard(functions[name] as Call);
        }
      }
      WebAssembly.instantiate(bytes, imports).then(
        ({ instance, module }) => receive(instance, module),
        (error) => {
          // php-wasm would wait for it for ever.
          console.error(error);
          process.exit(71);
        },
      );
    },
  };
}
