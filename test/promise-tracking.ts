import asyncHooks, { type AsyncHook } from 'node:async_hooks';

/**
 * The test runner follows every promise: it wants to know in which suite a test is declared, and from which test an error comes that nobody
 * caught. That is about a tenth of what the tests take of the processor, and only declaring needs it. An error that nobody caught while nothing is
 * followed fails the lane all the same, and test/lane.ts says in which file.
 *
 * To be loaded before node:test: it catches the hook that the runner makes, the first one of the process.
 */
let tracking: AsyncHook | undefined;

const makers: { createHook: typeof asyncHooks.createHook } = asyncHooks;
const { createHook } = makers;
makers.createHook = (callbacks) => {
  makers.createHook = createHook;
  tracking = createHook(callbacks);
  return tracking;
};

export const trackPromises = (): void => void tracking?.enable();
export const trackNoPromises = (): void => void tracking?.disable();
