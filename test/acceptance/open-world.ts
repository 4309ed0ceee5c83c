import { startTestApp, type TestApp } from '../app.ts';
import { startOutside } from './outside.ts';
import { createWorld, type World } from './world.ts';

/** The service with everybody who could call it, and with an outside that it can reach. */
export async function openWorld(): Promise<{ app: TestApp; world: World; close(): Promise<void> }> {
  const outside = await startOutside();
  const app = await startTestApp({ env: outside.env });
  const close = async () => {
    await app.close();
    await outside.close();
  };
  return { app, world: await createWorld(app), close };
}
