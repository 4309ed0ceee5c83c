import { describe, it } from 'node:test';
import { describeProcesses } from '#runtimes/processes.contract.ts';
import { describePhpProcesses } from '#runtimes/wordpress/php-processes.contract.ts';
import { noFpm, openFpmRuntime } from '../../../test/fpm-runtime.ts';

const why = await noFpm();
if (why) describe('native PHP', () => it('can not be tried here', { skip: why }));
else {
  describeProcesses('native PHP', openFpmRuntime);
  describePhpProcesses('native PHP', ({ requestTimeoutMs }) => openFpmRuntime({ requestTimeoutMs }));
}
