import { openMemoryRuntime } from '../../../test/memory-runtime.ts';
import { describeShell } from './shell.contract.ts';

describeShell('sites in memory', 'limited', openMemoryRuntime);
