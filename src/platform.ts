import { createLog } from '#core/log.ts';
import { type Stop, startParts } from '#core/part.ts';
import type { Services } from '#core/services.ts';
import { type Feature, operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import type { Config } from './config.ts';
import { assemble } from './platform/assembly.ts';
import { findLackOfRoom } from './platform/disk-reserve.ts';
import type { Drivers } from './platform/drivers.ts';
import { makeOperator } from './platform/first-data.ts';
import { layGround } from './platform/ground.ts';
import { rejectLostDatabase } from './platform/missing-data.ts';
import { ownParts } from './platform/parts.ts';
import { FirstProcess } from './platform/port-group/first-process.ts';
import type { PortGroup } from './platform/port-group/port-group.ts';
import { createServices } from './platform/services.ts';

export interface Platform {
  url: string;
  log: Services['log'];
  services: Services;
  /** The operator's password where this start made one, to be shown once. */
  madeOperator: { email: string; password: string } | undefined;
  stop(): Promise<void>;
}

export interface PlatformOptions {
  /** Features besides the product's. */
  features?: readonly Feature[];
  /** In place of the clusters that the configuration names. */
  clusters?: Services['clusters'] | undefined;
  /** Drivers besides the product's, by the name that RUNTIME picks one with. */
  drivers?: Drivers;
  /** The processes that share its ports; otherwise it is the only one. */
  group?: PortGroup;
}

/** Puts the parts of this process' roles together and starts them. */
export async function startPlatform(
  config: Config,
  { features: extraFeatures = [], clusters, drivers = {}, group = new FirstProcess() }: PlatformOptions = {},
): Promise<Platform> {
  const log = createLog(config.logLevel);
  const stops: Stop[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const all = [...features, ...extraFeatures];
    await rejectLostDatabase(config);
    const ground = await layGround(config, log, stops);
    const services = await createServices({
      config,
      log,
      ground,
      operations: operationsOf(all),
      stops,
      group,
      clusters,
      drivers,
    });
    const assembly = assemble(ground, services, all, group);
    await startParts([...ownParts(assembly), ...all.flatMap(({ parts = [] }) => parts)], services, stops);
    // Last of all: a password that is made is shown, and a start that fails would take it along. Nobody is told that we
    // serve before there is somebody who can sign in.
    const madeOperator = await makeOperator(services);
    assembly.isComplete = true;
    stops.push(await group.start(config, ground, log));
    const url = config.port === 0 ? `http://localhost:${assembly.port}` : config.baseUrl;
    return { url, log, services, madeOperator, stop };
  } catch (error) {
    await stop();
    // Whatever failed first: with a full disk that is what has to be mended.
    throw (config.databaseUrl === undefined && (await findLackOfRoom(config.dataDir).catch(() => undefined))) || error;
  }
}
