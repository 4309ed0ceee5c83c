import { parentPort, workerData } from 'node:worker_threads';
import { genSaltSync, hashSync } from 'bcryptjs';

const { digest, cost } = workerData as { digest: string; cost: number };

// Under the name that PHP itself writes, and the only one that it reads besides older ones.
const salt = genSaltSync(cost).replace(/^\$2[ab]\$/, '$2y$');
parentPort?.postMessage(hashSync(digest, salt));
