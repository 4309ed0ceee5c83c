import { hash, timingSafeEqual } from 'node:crypto';
import { keepForOperator } from '#core/operator-file.ts';
import type { Services } from '#core/services.ts';
import { ambiguousClient, type CodeExchange, invalidClient, notConfigured } from './metrics-sign-in.schema.ts';

const PURPOSE = 'metrics client secret';

/** The one registered client: the operator's Grafana. */
export interface Client {
  id: string;
  /** The one of today, and while the platform's key is being changed those of before. */
  secrets: readonly string[];
  redirectUris: readonly string[];
}

export function registeredClient(services: Pick<Services, 'config' | 'secrets'>): Client {
  const { config, secrets } = services;
  if (config.metricsRedirectUris.length === 0) throw notConfigured();
  return {
    id: config.metricsClientId,
    secrets: config.metricsClientSecret ? [config.metricsClientSecret] : secrets.deriveAll(PURPOSE),
    redirectUris: config.metricsRedirectUris,
  };
}

export function metricsClientSecret({ config, secrets }: Pick<Services, 'config' | 'secrets'>): string {
  return config.metricsClientSecret ?? secrets.derive(PURPOSE);
}

/** Where a secret was made, whoever sets up Grafana finds it in our folder. */
export async function keepMetricsClientSecret(services: Services): Promise<undefined> {
  const { config } = services;
  if (config.metricsRedirectUris.length > 0 && !config.metricsClientSecret)
    await keepForOperator(config.dataDir, 'metrics-client-secret', metricsClientSecret(services));
}

/**
 * The client proves itself in the Authorization header or in the body (RFC 6749, 2.3.1). Grafana tries the one and, where
 * that fails, the other, with the same code: so a failure here must not touch the code.
 */
export function checkClient(client: Client, authorization: string | undefined, body: CodeExchange): void {
  const basic = /^basic +(\S*)$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined) {
    if (!body.client_id || !body.client_secret) throw invalidClient({ headers: BEARER });
    if (!isClient(client, body.client_id, body.client_secret)) throw invalidClient({ headers: BEARER });
    return;
  }
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8')) ?? [];
  // Each half is encoded as a form would be; some clients do not.
  if (!isClient(client, id, secret) && !isClient(client, decode(id), decode(secret)))
    throw invalidClient({ headers: BASIC });
  if (body.client_secret || (body.client_id && body.client_id !== client.id)) throw ambiguousClient();
}

const BASIC = { 'www-authenticate': 'Basic realm="metrics-token", charset="UTF-8"' };
const BEARER = { 'www-authenticate': 'Bearer' };

function isClient(client: Client, id: string, secret: string): boolean {
  const isSame = (a: string, b: string) => timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
  return isSame(id, client.id) && client.secrets.some((each) => isSame(secret, each));
}

function decode(text: string): string {
  return new URLSearchParams(`value=${text.replaceAll('&', '%26')}`).get('value') ?? '';
}
