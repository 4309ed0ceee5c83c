import { describe, it } from 'node:test';
import { describeBackups } from '#runtimes/backup.contract.ts';
import { describeImports } from '#runtimes/import.contract.ts';
import { describeRuntime } from '#runtimes/runtime.contract.ts';
import { describeShell } from '#runtimes/shell/shell.contract.ts';
import { describePhp } from '#runtimes/wordpress/php.contract.ts';
import { describePhpProcesses } from '#runtimes/wordpress/php-processes.contract.ts';
import { noFpmOnMariadb, openFpmOnMariadb } from '../../../test/fpm-runtime.ts';

const why = await noFpmOnMariadb();
if (why) describe('native PHP on MariaDB', () => it('can not be tried here', { skip: why }));
else if (process.env.MARIADB !== 'all')
  describe('native PHP on MariaDB', () => it('passes every contract', { skip: 'the long form: MARIADB=all' }));
else {
  const name = 'native PHP on MariaDB';
  describeRuntime(name, openFpmOnMariadb);
  describeBackups(name, openFpmOnMariadb);
  describeImports(name, openFpmOnMariadb);
  describePhp(name, openFpmOnMariadb);
  describePhpProcesses(name, openFpmOnMariadb);
  describeShell(name, 'bash', openFpmOnMariadb);
}
