import assert from 'node:assert/strict';
import { eventually } from '#testkit/expect.ts';
import { PATIENCE } from './patience.ts';
import { type Area, openAdmin, type SiteUnderTest } from './site-under-test.ts';

export const HEALTH: Area[] = [
  { name: 'Site Health finds nothing that the host has to do', isShort: true, walk: lookAtHealth },
];

/** What Site Health may say of a new site, by the name of its test, and whose business that is. Anything else is the host's. */
const NOT_OURS: Record<string, { label: RegExp; why: string }> = {
  theme_version: {
    label: /^You should remove inactive themes$/,
    why: 'The owner chooses which of the themes that came with WordPress to keep, and can delete the others.',
  },
  https_status: {
    label: /^Your website does not use HTTPS$/,
    why: 'This site is on loopback. That it is content behind TLS is tested in src/features/instance/own-calls.full.test.ts.',
  },
  dotorg_communication: {
    label: /^Could not reach WordPress\.org$/,
    why: 'Where the tests run, WordPress.org may be out of reach.',
  },
  php_version: {
    label: /^Unable to determine the status of the current PHP version/,
    why: 'WordPress.org is who knows which versions are current.',
  },
};

interface Finding {
  test: string;
  status: string;
  label: string;
  description: string;
}

const LONG_MS = 240_000;

async function lookAtHealth(site: SiteUnderTest): Promise<void> {
  await site.writeContent('mu-plugins/patience.php', PATIENCE);
  let findings: Finding[] = [];
  const ours = () => findings.filter((finding) => finding.status !== 'good' && !isKnown(finding));
  await eventually(async () => {
    findings = await runTests(site);
    return ours().length === 0;
  }, LONG_MS).catch(() => assert.deepEqual(ours(), []));
  for (const test of ['rest_availability', 'loopback_requests', 'page_cache', 'sql_server', 'php_extensions']) {
    assert.ok(
      findings.some((finding) => finding.test === test),
      `${test} was run`,
    );
  }
  await lookAtSizes(site);
}

/** Core asks the site for what its folders and its database take, and shows "Loading" for ever where one is missing. */
async function lookAtSizes(site: SiteUnderTest): Promise<void> {
  const sizes = site.page.locator('#health-check-accordion-block-wp-paths-sizes td:nth-child(2)');
  await eventually(async () => {
    // WordPress gives up after 30 seconds, which a busy machine may need; what it has measured by then it remembers.
    const measured = site.page.waitForResponse(/directory-sizes/, { timeout: LONG_MS });
    await openAdmin(site, 'site-health.php?tab=debug');
    await measured;
    return eventually(async () => {
      const texts = await sizes.allTextContents();
      return texts.some((text) => /\d (KB|MB)/.test(text)) && !texts.some((text) => text.includes('Loading'));
    }, 10_000).catch(() => false);
  }, LONG_MS);
  const database = site.page.locator('#health-check-accordion-block-wp-paths-sizes tr', { hasText: 'Database size' });
  assert.match((await database.textContent()) ?? '', /[1-9][\d.]* (KB|MB)/);
}

function isKnown({ test, label }: Finding): boolean {
  return NOT_OURS[test]?.label.test(label) ?? false;
}

/** Opens the screen, which runs those tests that take long from the browser, and reads what it shows in the end. */
async function runTests(site: SiteUnderTest): Promise<Finding[]> {
  const { page } = site;
  await openAdmin(site, 'site-health.php');
  await page.locator('.site-health-progress-wrapper:not(.loading)').first().waitFor();
  const found = ['critical', 'recommended', 'good'].map(async (status) => {
    const section = page.locator(`#health-check-issues-${status}`);
    const labels = await section.locator('.health-check-accordion-trigger .title').allTextContents();
    const panels = section.locator('.health-check-accordion-panel');
    const ids = await Promise.all((await panels.all()).map((panel) => panel.getAttribute('id')));
    const descriptions = await panels.allTextContents();
    return ids.map((id, nth) => ({
      status,
      test: id?.replace('health-check-accordion-block-', '') ?? '',
      label: labels[nth]?.trim() ?? '',
      description: descriptions[nth]?.replace(/\s+/g, ' ').trim() ?? '',
    }));
  });
  return (await Promise.all(found)).flat();
}
