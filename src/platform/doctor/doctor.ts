import type { Env } from '../../config/read-variables.ts';
import { readConfig } from '../../config.ts';
import { examineAddresses } from './addresses.ts';
import { type Finding, fault, fine } from './finding.ts';
import { examineMachine } from './machine.ts';
import { findMisspelt } from './misspelt.ts';
import { examineServices } from './services.ts';

/** Looks at the machine that the service runs on, as the configuration wants to use it. It changes nothing but a scratch file in DATA_DIR. */
export async function examine(env: Env, { isOffline = false } = {}): Promise<Finding[]> {
  let config: ReturnType<typeof readConfig>;
  try {
    config = readConfig(env);
  } catch (error) {
    return [
      fault(
        'configuration',
        (error as Error).message.split('\n').join(' '),
        'Mend these variables; the README has all of them.',
      ),
    ];
  }
  return [
    fine('configuration', 'every variable is right'),
    ...findMisspelt(env),
    ...(await examineMachine(config)),
    ...(await examineServices(config)),
    ...(isOffline ? [] : await examineAddresses(config)),
  ];
}
