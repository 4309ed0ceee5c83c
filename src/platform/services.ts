import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Credentials } from '#core/auth/credentials.ts';
import { Locks } from '#core/db/locks.ts';
import { EventHub } from '#core/events/hub.ts';
import { FrontEnd } from '#core/http/front-end.ts';
import type { Operation } from '#core/http/operation.ts';
import { RateLimits } from '#core/http/rate-limits.ts';
import { Jobs } from '#core/jobs/jobs.ts';
import type { Log } from '#core/log.ts';
import { Outbound } from '#core/outbound.ts';
import type { Stop } from '#core/part.ts';
import type { Payments } from '#core/payments.ts';
import type { Services } from '#core/services.ts';
import { SiteChanges } from '#core/site-changes.ts';
import { receivePaymentEvent } from '#features/billing/billing.ts';
import { settle } from '#features/cluster/cluster.ts';
import { siteUrl } from '#features/instance/instance.ts';
import { PRICES } from '#features/plan/plan.ts';
import { SiteLog } from '#host/site-log/site-log.ts';
import { createBrowser } from '#integrations/browser/browser.ts';
import { createDns } from '#integrations/dns/dns.ts';
import { GitClient } from '#integrations/git/git.ts';
import { GitHostClient } from '#integrations/git/git-hosts.ts';
import { createMailer } from '#integrations/mail/mail.ts';
import { createModel } from '#integrations/model/model.ts';
import { createPayments } from '#integrations/payments/payments.ts';
import type { Config } from '../config.ts';
import type { Drivers } from './drivers.ts';
import type { Ground } from './ground.ts';
import { createClusters, createLocalHost, createSiteHosts, hostAccess } from './hosts.ts';
import { openOwnSecrets } from './platform-key.ts';
import type { PortGroup } from './port-group/port-group.ts';

const WEB_FOLDER = new URL('../../web/dist', import.meta.url).pathname;
const WEB_DRAWING = new URL('../../dist/dashboard/server.mjs', import.meta.url).href;

/** The services, with what only the platform itself may do: let jobs be worked on. */
export interface OwnServices extends Services {
  jobs: Jobs;
}

interface ServicesOptions {
  config: Config;
  log: Log;
  ground: Ground;
  operations: readonly Operation[];
  stops: Stop[];
  group: PortGroup;
  /** In place of the clusters that the configuration names. */
  clusters: Services['clusters'] | undefined;
  /** Drivers of sites besides the product's. */
  drivers: Drivers;
}

/** Picks the drivers. Nothing of this serves or works yet. */
export async function createServices({
  config,
  log,
  ground,
  operations,
  stops,
  group,
  clusters: givenClusters,
  drivers,
}: ServicesOptions): Promise<OwnServices> {
  const { db, pool, listener } = ground;
  const inData = (name: string) => join(config.dataDir, name);
  const outbound = new Outbound({ allow: config.outboundAllow, dnsServers: config.dnsServers });
  const secrets = await openOwnSecrets(config, db);
  const clusters = givenClusters ?? createClusters(config, log, secrets);
  const localHost = createLocalHost({ config, log, outbound, access: hostAccess(config, secrets), drivers });
  const hosts = createSiteHosts({
    local: localHost,
    db,
    secrets,
    clusters,
    settle: (site, end) => settle(services, site, end),
    wakeMs: config.sitePods.wakeMs,
  });
  const services: OwnServices = {
    processId: randomUUID(),
    config,
    log,
    db,
    listener,
    locks: new Locks(pool),
    secrets,
    credentials: new Credentials(db, listener),
    operations: new Map(operations.map((operation) => [operation.id, operation])),
    events: new EventHub(db, listener, log),
    jobs: new Jobs({ db, pool, listener, log, worker: config.roles.has('worker') }),
    limits: new RateLimits(config.rateLimitFactor, (limit) => group.tell({ limit })),
    mailer: createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, folder: inData('mail'), log }),
    frontEnd: await FrontEnd.load(WEB_FOLDER, WEB_DRAWING, () => siteUrl({ config }, `*.${config.siteDomain}`)),
    outbound,
    dns: createDns(config.dnsServers),
    git: new GitClient({ outbound, folder: inData('git'), fileRoots: config.gitFileRoots }),
    gitHosts: new GitHostClient(outbound),
    payments: undefined,
    browser: createBrowser(config.browser, { folder: inData('browser'), sandbox: config.sandbox }),
    model: createModel(config.assistantModel, outbound),
    clusters,
    hosts,
    localHost,
    siteChanges: new SiteChanges(),
    siteLog: new SiteLog(hosts, log),
  };
  services.payments = createOwnPayments(services);
  stops.push(
    () => services.locks.close(),
    () => services.siteLog.close(),
  );
  services.siteLog.start();
  return services;
}

/** The built-in provider's events come the same way as those that another one sends. */
function createOwnPayments(services: Services): Payments | undefined {
  const { config, outbound, db, secrets } = services;
  return createPayments({
    stripe: config.stripe,
    mayTest: config.billing === 'test',
    prices: PRICES,
    outbound,
    store: db,
    secrets,
    baseUrl: config.baseUrl,
    deliver: (tx, { body, signature }) => receivePaymentEvent(tx, services, Buffer.from(body), signature),
  });
}
