// SPDX-License-Identifier: GPL-2.0-or-later
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getPHPLoaderModule } from '@php-wasm/node';
import type { PHP } from '@php-wasm/universal';

const FOLDER = '/site/icu';
/** ICU looks for its data under this name, which says its version. */
const DATA = `${FOLDER}/icudt74l.dat`;

/** The extension `intl`, to be given to PHP before it starts. */
export async function intlExtension(phpVersion: string): Promise<unknown> {
  const { dependencyFilename } = await getPHPLoaderModule(phpVersion);
  const file = join(dirname(dependencyFilename), '../extensions/intl/intl.so');
  return {
    source: { format: 'so', name: 'intl', bytes: new Uint8Array(await readFile(file)) },
    env: { ICU_DATA: FOLDER },
  };
}

/**
 * Shows PHP the data of all languages. php-wasm would copy these 30 MB into the memory of every process; from its file, only a process
 * whose site asks for a language reads them.
 */
export async function mountLanguages(php: PHP): Promise<void> {
  const root = join(dirname(fileURLToPath(import.meta.resolve('@php-wasm/node'))), 'shared/icu.dat');
  php.mkdirTree(FOLDER);
  php.writeFile(DATA, '');
  await php.mount(DATA, (_php, fs) => {
    fs.mount(fs.filesystems.NODEFS, { root }, DATA);
    return () => fs.unmount(DATA);
  });
}
