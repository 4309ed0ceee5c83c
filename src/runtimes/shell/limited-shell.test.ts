import { describeShell } from '#testkit/contracts/shell.contract.ts';
import { openMemoryRuntime } from '#testkit/drivers/memory/open-memory-runtime.ts';

describeShell('sites in memory', 'limited', openMemoryRuntime);
