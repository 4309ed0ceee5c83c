import { Type } from 'typebox';
import { showLimit } from '#core/http/admission.ts';
import { operation } from '#core/http/operation.ts';
import { Fqdn } from '#core/http/schema.ts';
import { onSite } from '#features/instance/instance.ts';
import { Diagnosis } from './diagnosis.schema.ts';
import { diagnose } from './diagnosis.ts';

export const diagnosisOperations = [
  operation({
    id: 'diagnoseSite',
    method: 'GET',
    path: '/site/{fqdn}/diagnosis',
    tag: 'sites',
    summary:
      'What is wrong with a site: its front page now, its errors, DNS, certificate, plan and last changes, and what may help; wakes it where it sleeps',
    // It tells what is in the log.
    access: onSite('member'),
    assistant: true,
    // It wakes the site, and costs it a visit.
    effect: 'plan',
    params: Type.Object({ fqdn: Fqdn }),
    response: Diagnosis,
    handle({ services, caller, subject: site, ip }) {
      showLimit(() => {}, services.limits.take('diagnosis', caller.userId));
      return diagnose({ services, caller, site, ip });
    },
  }),
];
