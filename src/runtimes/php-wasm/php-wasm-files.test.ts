import { describePhpFiles } from '#runtimes/wordpress/php-files.contract.ts';
import { openTestRuntime } from '../../../test/wordpress-cache.ts';

describePhpFiles('PHP in WebAssembly', openTestRuntime);
