import { describe, it } from 'node:test';
import { describeBackups } from '#runtimes/backup.contract.ts';
import { noFpmOnMariadb, openFpmOnMariadb } from '../../../test/fpm-runtime.ts';

const why = await noFpmOnMariadb();
if (why) describe('native PHP on MariaDB', () => it('can not be tried here', { skip: why }));
else {
  describeBackups('native PHP on MariaDB', openFpmOnMariadb);
}
