import { describe, it } from 'node:test';
import { describePhpFiles } from '#runtimes/wordpress/php-files.contract.ts';
import { noFpm, openFpmRuntime } from '../../../test/fpm-runtime.ts';

const why = await noFpm();
if (why) describe('native PHP', () => it('can not be tried here', { skip: why }));
else describePhpFiles('native PHP', openFpmRuntime);
