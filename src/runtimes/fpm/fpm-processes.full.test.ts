import { describe, it } from 'node:test';
import { describePhpProcesses } from '#testkit/contracts/php-processes.contract.ts';
import { describeProcesses } from '#testkit/contracts/processes.contract.ts';
import { noFpm, openFpmRuntime } from '#testkit/drivers/fpm-runtime.ts';

const why = await noFpm();
if (why) describe('native PHP', () => it('can not be tried here', { skip: why }));
else {
  describeProcesses('native PHP', openFpmRuntime);
  describePhpProcesses('native PHP', ({ requestTimeoutMs }) => openFpmRuntime({ requestTimeoutMs }));
}
