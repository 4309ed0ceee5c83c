import { describe, it } from 'node:test';
import { describeRuntime } from '#runtimes/runtime.contract.ts';
import { noFpm, openFpmRuntime } from '../../../test/fpm-runtime.ts';

const why = await noFpm();
if (why) describe('native PHP', () => it('can not be tried here', { skip: why }));
else {
  describeRuntime('native PHP', openFpmRuntime);
}
