import { describeBackups } from '#runtimes/backup.contract.ts';
import { describeImports } from '#runtimes/import.contract.ts';
import { describeProcesses } from '#runtimes/processes.contract.ts';
import { describeRuntime } from '#runtimes/runtime.contract.ts';
import { openMemoryRuntime } from '../../../test/memory-runtime.ts';

describeRuntime('sites in memory', openMemoryRuntime);
describeBackups('sites in memory', openMemoryRuntime);
describeProcesses('sites in memory', openMemoryRuntime);
describeImports('sites in memory', openMemoryRuntime);
