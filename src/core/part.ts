import type { ProgramRole } from '../config.ts';
import type { Services } from './services.ts';

/**
 * Something that runs in a process of the platform: a role is the list of the parts that name it. They start in the order of
 * the stages, and within one in the order of the list; they stop in the opposite order.
 */
export interface Part {
  name: string;
  stage: Stage;
  /** Processes of any of these roles start it. */
  roles: readonly ProgramRole[];
  /** Resolves when it runs, with what ends it. What fails to start has to leave nothing running. */
  start(services: Services): Promise<Stop | undefined>;
}

/** Resolves when nothing goes on any more. */
export type Stop = () => Promise<unknown>;

/**
 * `fences` keep sites from being run here while somebody else has them, so they are there before any could be and until none
 * is any more. `sites` are what runs them and hears what they tell. `work` is done by itself, `serve` is for whoever asks.
 */
const STAGES = ['fences', 'sites', 'work', 'serve'] as const;
type Stage = (typeof STAGES)[number];

export const EVERY_ROLE: readonly ProgramRole[] = ['api', 'worker', 'edge', 'host'];

/** Starts what this process is for; `stops` gets what ends it, in the order of the starts. */
export async function startParts(parts: readonly Part[], services: Services, stops: Stop[]): Promise<void> {
  const { roles } = services.config;
  const wanted = parts.filter((part) => part.roles.some((role) => roles.has(role)));
  for (const stage of STAGES) {
    for (const part of wanted.filter((each) => each.stage === stage)) {
      const stop = await part.start(services);
      if (stop) stops.push(stop);
      services.log.debug({ part: part.name }, 'started');
    }
  }
}

/** Opens what has to be closed even where it was opened only halfway. */
export async function opened(what: { open(): Promise<unknown>; close(): Promise<unknown> }): Promise<Stop> {
  const stop = () => what.close();
  try {
    await what.open();
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
