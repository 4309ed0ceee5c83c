import { Type } from 'typebox';
import { invalid } from '#core/errors.ts';
import { operation } from '#core/http/operation.ts';
import { Fqdn } from '#core/http/schema.ts';
import { signedIn } from '#core/policy.ts';
import { listRegions } from '#features/region/region.ts';
import { checkName } from './site-name.rules.ts';
import { nameIsClaimed } from './site-name.sql.ts';

export const siteNameOperations = [
  operation({
    id: 'checkSiteName',
    method: 'GET',
    path: '/site_name',
    tag: 'sites',
    summary: 'Whether a site could have this name now. A name that no site may ever have is a 422 that says why',
    access: signedIn,
    query: Type.Object({ fqdn: Fqdn }),
    response: Type.Object(
      { fqdn: Type.String(), is_free: Type.Boolean({ description: 'No site has it, nor is about to have it' }) },
      { title: 'SiteName' },
    ),
    async handle({ db, services, query: { fqdn } }) {
      const cnames = (await listRegions(db)).map(({ cname }) => cname);
      const faults = checkName(services.config, 'fqdn', fqdn, cnames);
      if (faults.length > 0) throw invalid(...faults.map((fault) => ({ ...fault, loc: ['query', 'fqdn'] })));
      return { fqdn, is_free: !(await nameIsClaimed(db, fqdn)) };
    },
  }),
];
