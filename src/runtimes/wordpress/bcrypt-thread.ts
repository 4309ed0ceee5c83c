import { parentPort, workerData } from 'node:worker_threads';
import { genSaltSync, hashSync } from 'bcryptjs';

/** What PHP 8.3 takes by default; WordPress hashes again at the next sign-in where its own default is another one. */
const COST = 10;

// Under the name that PHP itself writes, and the only one that it reads besides older ones.
const salt = genSaltSync(COST).replace(/^\$2[ab]\$/, '$2y$');
parentPort?.postMessage(hashSync(workerData as string, salt));
