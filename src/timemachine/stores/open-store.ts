import { DiskStore } from './disk.ts';
import { S3Store } from './s3.ts';
import type { S3Account } from './s3-request.ts';
import type { Store } from './store.ts';

/** Which store: data that can cross the border of a process. It may hold secrets, so it goes where nobody else reads. */
export type StoreDescription = { kind: 'disk'; folder: string } | { kind: 's3'; account: S3Account };

/** The one place that knows all kinds of stores. */
export function openStore(store: StoreDescription): Store {
  switch (store.kind) {
    case 'disk':
      return new DiskStore(store.folder);
    case 's3':
      return new S3Store(store.account);
  }
}
