import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What nobody uses here: assistants, sign-ins of others, sandboxes and telemetry of Windows, diagrams. */
const UNUSED = [
  'lib/vscode/extensions/copilot',
  'lib/vscode/extensions/mermaid-markdown-features',
  'lib/vscode/extensions/microsoft-authentication',
  'lib/vscode/extensions/github-authentication',
  'lib/vscode/extensions/github',
  'lib/vscode/extensions/tunnel-forwarding',
  'lib/vscode/extensions/ms-vscode.js-debug',
  'lib/vscode/extensions/ms-vscode.js-debug-companion',
  'lib/vscode/extensions/ms-vscode.vscode-js-profile-table',
  'lib/vscode/node_modules/@microsoft/mxc-sdk',
  'lib/vscode/node_modules/@vscode/windows-process-tree',
  'lib/vscode/node_modules/@vscode/windows-registry',
  'lib/vscode/node_modules/node-pty/third_party',
];
/** Of these there is a build for each kind of machine. */
const BUILDS = ['lib/vscode/node_modules/node-pty/prebuilds', 'lib/vscode/node_modules/@vscode/ripgrep-universal/bin'];

export async function prune(folder: string): Promise<void> {
  for (const path of UNUSED) await rm(join(folder, path), { recursive: true, force: true });
  for (const path of BUILDS) {
    for (const name of await readdir(join(folder, path)).catch(() => []))
      if (name !== `${process.platform}-${process.arch}`) await rm(join(folder, path, name), { recursive: true });
  }
  // For whoever develops them.
  for (const name of await readdir(folder, { recursive: true }))
    if (name.endsWith('.map')) await rm(join(folder, name), { force: true, recursive: true });
}
