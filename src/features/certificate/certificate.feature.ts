import { figures } from '#core/figures.ts';
import type { Part } from '#core/part.ts';
import { feature } from '../feature.ts';
import { countCertificates, forgetChallenges, forgetOrders, secondsUntilExpiry } from './certificate.sql.ts';
import { CertificateWorker } from './certificate-worker.ts';

const getCertificates: Part = {
  name: 'certificates',
  stage: 'work',
  roles: ['worker'],
  async start(services) {
    if (!services.config.acme) return undefined;
    const worker = new CertificateWorker(services);
    await worker.start();
    return () => worker.close();
  },
};

export const certificateFeature = feature({
  name: 'certificate',
  parts: [getCertificates],
  figures: [
    figures({
      metrics: {
        certificates: { help: 'Certificates of the platform and of sites, by state', type: 'gauge', label: 'state' },
        certificate_expiry_seconds: {
          help: 'Seconds until the first certificate expires; absent if there is none',
          type: 'gauge',
          label: 'certificate',
        },
      },
      async read({ db }) {
        const { issued, failing, expiring } = await countCertificates(db);
        const first = await secondsUntilExpiry(db);
        return {
          certificates: { issued, failing, expiring },
          certificate_expiry_seconds: (first === null ? {} : { first }) as Record<string, number>,
        };
      },
    }),
  ],
  async housekeeping(db) {
    await forgetChallenges(db);
    await forgetOrders(db);
  },
  dueTimes: ['certificates.next_try_at', 'certificates.taken_until'],
});
