import { describeBackups } from '#testkit/contracts/backup.contract.ts';
import { describeImports } from '#testkit/contracts/import.contract.ts';
import { describeProcesses } from '#testkit/contracts/processes.contract.ts';
import { describeRuntime } from '#testkit/contracts/runtime.contract.ts';
import { openMemoryRuntime } from '#testkit/drivers/memory/open-memory-runtime.ts';

describeRuntime('sites in memory', openMemoryRuntime);
describeBackups('sites in memory', openMemoryRuntime);
describeProcesses('sites in memory', openMemoryRuntime);
describeImports('sites in memory', openMemoryRuntime);
