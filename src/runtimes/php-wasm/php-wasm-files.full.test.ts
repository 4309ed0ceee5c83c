import { describePhpFiles } from '#testkit/contracts/php-files.contract.ts';
import { openTestRuntime } from '#testkit/drivers/wordpress-cache.ts';

describePhpFiles('PHP in WebAssembly', openTestRuntime);
