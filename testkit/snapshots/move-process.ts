import { MariadbDatabases } from '#runtimes/mariadb/mariadb-databases.ts';
import { MovingSite } from './moving-site.ts';

/** A process that moves a site's rows to the other kind of database; made to be killed. */
const { folder, access, id, to } = JSON.parse(process.argv[2] ?? '');
const databases = await MariadbDatabases.open({ access, secret: 'moves' });
const site = new MovingSite(folder, databases, id);
process.stdout.write('moving\n');
await site.move(to);
await site.handlers.close();
await databases.close();
