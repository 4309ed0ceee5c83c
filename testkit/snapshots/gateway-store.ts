import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DiskStore } from '#timemachine/stores/disk.ts';
import { S3Store } from '#timemachine/stores/s3.ts';
import type { S3Account } from '#timemachine/stores/s3-client.ts';
import type { Store } from '#timemachine/stores/store.ts';

/** A place of its own at the gateway that the whole suite runs against (on-ceph.ts); undefined where there is none. */
export function gatewayAccount(name: string = randomUUID()): S3Account | undefined {
  const given = process.env.S3_TEST_ACCOUNT;
  return given === undefined ? undefined : { ...(JSON.parse(given) as S3Account), prefix: `${name}/` };
}

/** The store of a test of the engine, always the same for a folder: a disk, or a gateway. */
export function suiteStore(folder: string): Store {
  const account = gatewayAccount(folder.replaceAll(/[^A-Za-z0-9]/g, '_'));
  return account ? new S3Store(account) : new DiskStore(join(folder, 'store'));
}
