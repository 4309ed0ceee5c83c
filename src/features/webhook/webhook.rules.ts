import { bodyFault, invalid } from '#core/errors.ts';
import { type Outbound, OutboundRefused } from '#core/outbound.ts';

/** Reads the address into one spelling, or says what is wrong with it. Plain http is for addresses that an operator allowed. */
export async function readWebhookUrl(text: string, outbound: Outbound): Promise<string> {
  const fault = (msg: string) => invalid(bodyFault('url', `Value error, ${msg}`));
  try {
    const url = outbound.checkUrl(text.trim());
    if (url.hash) throw fault('must not contain a fragment');
    if (url.protocol === 'http:' && !outbound.isInside(await outbound.resolve(url.hostname).catch(() => [])))
      throw fault('must start with https://');
    return url.href;
  } catch (error) {
    if (error instanceof OutboundRefused) throw fault(error.clause);
    throw error;
  }
}
