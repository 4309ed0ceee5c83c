import { describe, it } from 'node:test';
import { describeBackups } from '#testkit/contracts/backup.contract.ts';
import { describeImports } from '#testkit/contracts/import.contract.ts';
import { describeShell } from '#testkit/contracts/shell.contract.ts';
import { noFpm, openFpmRuntime } from '#testkit/drivers/fpm-runtime.ts';

const why = await noFpm();
if (why) describe('native PHP', () => it('can not be tried here', { skip: why }));
else {
  describeBackups('native PHP', openFpmRuntime);
  describeImports('native PHP', openFpmRuntime);
  describeShell('native PHP', 'bash', openFpmRuntime);
}
