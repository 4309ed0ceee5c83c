import type { Part } from '#core/part.ts';
import { feature } from '../feature.ts';
import { forgetChallenges, forgetOrders } from './certificate.sql.ts';
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
  async housekeeping(db) {
    await forgetChallenges(db);
    await forgetOrders(db);
  },
  dueTimes: ['certificates.next_try_at', 'certificates.taken_until'],
});
