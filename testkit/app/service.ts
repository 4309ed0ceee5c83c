import { runService } from '../../src/run-service.ts';
import { memoryDriver } from '../drivers/memory/memory-driver.ts';

/** The service with the driver for tests, for tests that start it as a process and for people who develop the platform (`npm run dev:memory`). */
runService(memoryDriver);
