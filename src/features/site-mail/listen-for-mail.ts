import type { Services } from '#core/services.ts';

/** A site that mails without a pause has its mail fetched so often, and not with each message. */
const MAIL_AGAIN_MS = 10_000;

/** Has the mail of running sites sent, as they tell that there is some. */
export function listenForMail(
  { log, localHost }: Pick<Services, 'log' | 'localHost'>,
  deliver: (siteId: string) => Promise<unknown>,
): void {
  const askForMail = throttle((siteId) => {
    deliver(siteId).catch((error) => log.warn({ err: error }, 'could not ask for mail to be sent'));
  });
  localHost?.listen({ mail: ({ id }) => askForMail(id) });
}

/** Acts at once for a site that was quiet, and on whatever else it tells no sooner than the pause allows. */
function throttle(act: (siteId: string) => void): (siteId: string) => void {
  /** The sites within their pause; true for those that told something meanwhile. */
  const pausing = new Map<string, boolean>();
  const actAndPause = (siteId: string) => {
    pausing.set(siteId, false);
    act(siteId);
    setTimeout(() => {
      if (pausing.get(siteId)) actAndPause(siteId);
      else pausing.delete(siteId);
    }, MAIL_AGAIN_MS).unref();
  };
  return (siteId) => {
    if (pausing.has(siteId)) pausing.set(siteId, true);
    else actAndPause(siteId);
  };
}
