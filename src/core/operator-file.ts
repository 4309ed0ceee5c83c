import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where whoever sets up Prometheus and Grafana finds what was made for them. */
export async function keepForOperator(dataDir: string, name: string, secret: string): Promise<void> {
  await writeFile(join(dataDir, name), `${secret}\n`, { mode: 0o600 });
}
