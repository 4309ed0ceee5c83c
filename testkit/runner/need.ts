import type { ResourceName, RunnerMessage, WorkerMessage } from './messages.ts';

/** Waits until the runner has started a resource. Programs that run without the runner, such as benchmarks, prepare it themselves. */
export async function need(resource: ResourceName): Promise<void> {
  if (!process.send || !process.env.SITEYARD_TEST_FILE_LIMIT_MS) return;
  const reply = new Promise<RunnerMessage & { type: 'resource' }>((resolve) => {
    const take = (message: RunnerMessage) => {
      if (message.type !== 'resource' || message.resource !== resource) return;
      process.off('message', take);
      resolve(message);
    };
    process.on('message', take);
  });
  process.send({ type: 'need', resource } satisfies WorkerMessage);
  const { env, error } = await reply;
  if (error) throw new Error(`${resource} could not be prepared: ${error}`);
  Object.assign(process.env, env);
}
