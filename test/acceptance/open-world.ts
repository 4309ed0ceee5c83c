import assert from 'node:assert/strict';
import { startTestApp, type TestApp, takeUndeclared } from '#testkit/app/test-app.ts';
import { fileEnds, workerEnds } from '#testkit/runner/hooks.ts';
import { startOutside } from './outside.ts';
import { createWorld, type World } from './world.ts';

export interface OpenWorld {
  app: TestApp;
  world: World;
  close(): Promise<void>;
}

/**
 * Starts the service with an outside that it can reach. It has no worker: a job that a request leaves is never run, so nothing
 * changes between two requests.
 */
async function startApp(): Promise<{ app: TestApp; close(): Promise<void> }> {
  const outside = await startOutside();
  const app = await startTestApp({ env: { ...outside.env, ROLE: 'api,edge,host' } });
  const close = async () => {
    try {
      await app.close();
    } finally {
      await outside.close();
    }
  };
  return { app, close };
}

/** An app and a world for one file, which reads all of the database or changes options of the app. */
export async function openWorld(): Promise<OpenWorld> {
  const { app, close } = await startApp();
  return { app, world: await createWorld(app), close };
}

let shared: ReturnType<typeof startApp> | undefined;

/** A world of people and teams of its own on the app that all walks of a worker process share. */
export async function sharedWorld(): Promise<{ app: TestApp; world: World }> {
  if (!shared) {
    shared = startApp();
    workerEnds.push(async () => (await shared)?.close());
    fileEnds.push(() => assert.deepEqual(takeUndeclared(), [], 'an operation responded with an undeclared error'));
  }
  const { app } = await shared;
  return { app, world: await createWorld(app) };
}
