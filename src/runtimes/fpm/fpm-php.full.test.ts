import { describe, it } from 'node:test';
import { describeBrokenDatabases } from '#testkit/contracts/broken-database.contract.ts';
import { describePhp } from '#testkit/contracts/php.contract.ts';
import { noFpm, openFpmRuntime } from '#testkit/drivers/fpm-runtime.ts';

const why = await noFpm();
if (why) describe('native PHP', () => it('can not be tried here', { skip: why }));
else {
  describePhp('native PHP', openFpmRuntime);
  describeBrokenDatabases('native PHP', openFpmRuntime);
}
