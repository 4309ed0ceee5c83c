import { describeBackups } from '#testkit/contracts/backup.contract.ts';
import { openTestRuntime } from '#testkit/drivers/wordpress-cache.ts';

describeBackups('PHP in WebAssembly', openTestRuntime);
