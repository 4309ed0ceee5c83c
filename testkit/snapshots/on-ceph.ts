import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendToS3 } from '#timemachine/stores/s3-client.ts';
import { hasCeph, startCephGateway } from './ceph-gateway.ts';

/**
 * `npm run test:ceph -- [files]`: the tests of the time machine with a real gateway of S3 as their store. Needs Debian's radosgw,
 * ceph-mon, ceph-osd and ceph-common.
 */
if (!hasCeph())
  throw new Error(
    'Ceph is not installed: apt-get install --no-install-recommends radosgw ceph-mon ceph-osd ceph-common',
  );
const named = process.argv.slice(2);
const files = named.length > 0 ? named : globSync('src/timemachine/**/*.test.ts');
const folder = mkdtempSync(join(tmpdir(), 'ceph-'));
const gateway = await startCephGateway(folder);
try {
  const account = { ...gateway.account, bucket: 'suite' };
  const { status } = await sendToS3(account, { method: 'PUT' });
  if (status !== 200) throw new Error(`the gateway made no bucket: ${status}`);
  const env = { ...process.env, S3: 'ceph', S3_TEST_ACCOUNT: JSON.stringify(account) };
  const [code] = await once(
    spawn(process.execPath, ['testkit/runner/main.ts', ...files], { env, stdio: 'inherit' }),
    'exit',
  );
  process.exitCode = code ?? 1;
} finally {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
}
