import { describeImports } from '#runtimes/import.contract.ts';
import { openTestRuntime } from '../../../test/wordpress-cache.ts';

describeImports('PHP in WebAssembly', openTestRuntime);
