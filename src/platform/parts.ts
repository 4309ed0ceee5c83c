import { keepForOperator } from '#core/operator-file.ts';
import { EVERY_ROLE, opened, type Part } from '#core/part.ts';
import { holdRecords, thisProcess } from '#features/hold/hold.ts';
import { siteRoutes, stopRetiredSites, subscribeToPurges } from '#features/instance/instance.ts';
import { housekeepingOf } from '#features/job/job.jobs.ts';
import type { LocalHost } from '#host/local-host.ts';
import type { Assembly } from './assembly.ts';
import { clockWatch } from './clock-watch.ts';
import { prepareData } from './first-data.ts';
import { openDoor, ownIdentity } from './hosts.ts';
import { serveMetrics } from './metrics-port.ts';
import { podDoor } from './pod/pod-door.ts';
import { readings } from './readings.ts';
import { serve } from './server.ts';

const JOB_CONCURRENCY = 4;

/** What runs in a process besides what the features bring along. */
export function ownParts(assembly: Assembly): Part[] {
  return [...siteParts(assembly), ...workParts(assembly), ...serveParts(assembly)];
}

/** Every role has to do with sites; those that it does not run itself it reaches over the door of who does. */
function siteParts({ services, features }: Assembly): Part[] {
  const { localHost, jobs } = services;
  const part = (name: string, start: Part['start']): Part => ({ name, stage: 'sites', roles: EVERY_ROLE, start });
  return [
    ...(localHost ? [part('the host of sites', () => opened(localHost))] : []),
    // After the host, since jobs have to end before what they work with.
    part('the job queue', () => opened(jobs)),
    part('the first data', () => prepareData(services, features)),
    clockWatch(services, features),
    ...(localHost
      ? [
          part('the end of sites that sleep or are gone', () =>
            stopRetiredSites(services, localHost, siteRoutes(services)),
          ),
        ]
      : []),
    part('the token of the metrics', async ({ config, secrets }) => {
      if (!config.metricsToken) await keepForOperator(config.dataDir, 'metrics-token', secrets.derive('metrics token'));
      return undefined;
    }),
  ];
}

function openOwnDoor(services: Assembly['services'], host: LocalHost): ReturnType<typeof openDoor> {
  const identity = ownIdentity(services.secrets, host);
  const announce = () => holdRecords(services).announce(thisProcess(services));
  return openDoor(services, { host, identity, announce });
}

function workParts({ services, features }: Assembly): Part[] {
  const kinds = [...features.flatMap(({ jobs = [] }) => jobs), housekeepingOf(features)];
  return [
    {
      name: 'jobs',
      stage: 'work',
      roles: ['worker'],
      async start() {
        await services.jobs.work(kinds, services, JOB_CONCURRENCY);
        // They end with the queue.
        return undefined;
      },
    },
  ];
}

function serveParts(assembly: Assembly): Part[] {
  const { edge, metrics, group, services } = assembly;
  const { localHost } = services;
  const part = (name: string, start: Part['start']): Part => ({ name, stage: 'serve', roles: EVERY_ROLE, start });
  return [
    part('the port of the metrics', async ({ config: { host, metricsPort, sharesPorts } }) =>
      metricsPort === undefined || sharesPorts
        ? undefined
        : serveMetrics(() => group.pageOf(metrics), metrics.contentType, { host, port: metricsPort }),
    ),
    {
      name: 'the edge',
      stage: 'serve',
      // What a site asks of itself is answered where it runs.
      roles: ['edge', 'host'],
      async start() {
        localHost?.answerOwnCalls((siteId, connection) => edge.answerOwnCalls(siteId, connection));
        const stop = await opened({ open: () => edge.start(), close: () => edge.close() });
        await subscribeToPurges(services, (siteId) => edge.purge(siteId));
        return stop;
      },
    },
    readings(assembly),
    part('the server', () => serve(assembly)),
    // The last one: whoever comes through it finds everything there.
    ...(localHost ? [part('the door to the sites of this process', () => openOwnDoor(services, localHost))] : []),
    podDoor,
  ];
}
