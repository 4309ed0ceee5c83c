import { describeBackups } from '#runtimes/backup.contract.ts';
import { openTestRuntime } from '../../../test/wordpress-cache.ts';

describeBackups('PHP in WebAssembly', openTestRuntime);
