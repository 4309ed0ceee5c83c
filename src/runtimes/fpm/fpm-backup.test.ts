import { describe, it } from 'node:test';
import { describeBackups } from '#runtimes/backup.contract.ts';
import { describeImports } from '#runtimes/import.contract.ts';
import { describeShell } from '#runtimes/shell/shell.contract.ts';
import { noFpm, openFpmRuntime } from '../../../test/fpm-runtime.ts';

const why = await noFpm();
if (why) describe('native PHP', () => it('can not be tried here', { skip: why }));
else {
  describeBackups('native PHP', openFpmRuntime);
  describeImports('native PHP', openFpmRuntime);
  describeShell('native PHP', 'bash', openFpmRuntime);
}
