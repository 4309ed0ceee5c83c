import { describe, it } from 'node:test';
import { describeBrokenDatabases } from '#runtimes/wordpress/broken-database.contract.ts';
import { describePhp } from '#runtimes/wordpress/php.contract.ts';
import { noFpm, openFpmRuntime } from '../../../test/fpm-runtime.ts';

const why = await noFpm();
if (why) describe('native PHP', () => it('can not be tried here', { skip: why }));
else {
  describePhp('native PHP', openFpmRuntime);
  describeBrokenDatabases('native PHP', openFpmRuntime);
}
