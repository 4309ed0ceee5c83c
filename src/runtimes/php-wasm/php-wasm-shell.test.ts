import { describeShell } from '#runtimes/shell/shell.contract.ts';
import { Sandbox } from '#sandbox/sandbox.ts';
import { openTestRuntime } from '../../../test/wordpress-cache.ts';

if ((await Sandbox.find()) instanceof Sandbox) describeShell('PHP in WebAssembly', 'bash', openTestRuntime);
