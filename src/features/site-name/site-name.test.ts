import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../../config.ts';
import { checkName } from './site-name.ts';

test('the domains that the platform has registered are reserved, but for what it gives of them', () => {
  const config = {
    baseUrl: 'https://app.platform.example',
    siteDomain: 'sites.hosted.co.uk',
    stageDomain: 'stages.elsewhere.example',
  } as Config;
  const isFree = (fqdn: string) => checkName(config, 'fqdn', fqdn, []).length === 0;
  const reserved = [
    'www.platform.example',
    'hosted.co.uk',
    'support.hosted.co.uk',
    'elsewhere.example',
    'mail.elsewhere.example',
  ];
  for (const fqdn of reserved) assert.ok(!isFree(fqdn), fqdn);
  for (const fqdn of ['blog.sites.hosted.co.uk', 'other.co.uk', 'nothosted.co.uk', 'www.example'])
    assert.ok(isFree(fqdn), fqdn);
});
