import type { Env } from '../../config/read-variables.ts';
import { readConfig } from '../../config.ts';
import { examineMachine } from './machine.ts';
import { examineServices } from './services.ts';

/** What was looked at: `fault` where the platform can not run as it is configured, `advice` where it could run better. */
export interface Finding {
  name: string;
  state: 'ok' | 'advice' | 'fault';
  found: string;
  /** What to do about it. */
  advice: string | null;
}

export const fine = (name: string, found: string): Finding => ({ name, state: 'ok', found, advice: null });
export const advise = (name: string, found: string, advice: string): Finding => ({
  name,
  state: 'advice',
  found,
  advice,
});
export const fault = (name: string, found: string, advice: string): Finding => ({
  name,
  state: 'fault',
  found,
  advice,
});

/** Looks at the machine that the service runs on, as the configuration wants to use it. It changes nothing but a scratch file in DATA_DIR. */
export async function examine(env: Env): Promise<Finding[]> {
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
    ...(await examineMachine(config)),
    ...(await examineServices(config)),
  ];
}
