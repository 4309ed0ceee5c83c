import { describe, it } from 'node:test';
import { describePhpFiles } from '#testkit/contracts/php-files.contract.ts';
import { noFpm, openFpmRuntime } from '#testkit/drivers/fpm-runtime.ts';

const why = await noFpm();
if (why) describe('native PHP', () => it('cannot run here', { skip: why }));
else describePhpFiles('native PHP', openFpmRuntime);
