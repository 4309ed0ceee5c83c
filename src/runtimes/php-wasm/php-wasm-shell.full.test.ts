import { Sandbox } from '#sandbox/sandbox.ts';
import { describeShell } from '#testkit/contracts/shell.contract.ts';
import { openTestRuntime } from '#testkit/drivers/wordpress-cache.ts';

if ((await Sandbox.find()) instanceof Sandbox) describeShell('PHP in WebAssembly', 'bash', openTestRuntime);
