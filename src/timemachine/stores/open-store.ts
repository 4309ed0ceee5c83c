import { DiskStore } from './disk.ts';
import { type QueueDescription, QueuedStore } from './queued.ts';
import { S3Store } from './s3.ts';
import type { S3Access, S3Account } from './s3-client.ts';
import { type SealDescription, SealedStore } from './sealed.ts';
import type { Store } from './store.ts';

/** Where objects are: a folder, or a bucket. */
export type StorePlace = { kind: 'disk'; folder: string } | { kind: 's3'; account: S3Account };

/** Which store: data that can cross the border of a process. It may hold secrets, so it goes where nobody else reads. */
export type StoreDescription =
  | { kind: 'disk'; folder: string; seal?: SealDescription }
  // Without a queue it is somebody else's, to be read and to be removed.
  | { kind: 's3'; account: S3Access; queue?: QueueDescription; seal?: SealDescription };

/** The one place that knows all kinds of stores. */
export function openStore(store: StoreDescription): Store {
  const sealed = (below: Store) => (store.seal ? new SealedStore(below, store.seal) : below);
  switch (store.kind) {
    case 'disk':
      return sealed(new DiskStore(store.folder));
    case 's3':
      return store.queue
        ? new QueuedStore(sealed(new S3Store(store.account)), store.queue)
        : sealed(new S3Store(store.account));
  }
}
