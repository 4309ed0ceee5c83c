import { requestSite } from '#runtimes/request.ts';
import type { Runtime, SiteHealth, SiteSpec } from '#runtimes/runtime.ts';
import { signRequest } from './access.ts';

const HEALTH_PATH = '/.siteyard/health';
/** The site writes it, and it is read here. */
const LIMITS = { timeoutMs: 30_000, maxBytes: 64 * 1024 };

/** Asks the site's must-use plugin how it is (plugin/status.php). */
export async function askHealth(runtime: Pick<Runtime, 'start'>, site: SiteSpec): Promise<SiteHealth> {
  const request = { method: 'GET', path: HEALTH_PATH };
  const headers = signRequest(site, request);
  const answer = await requestSite(runtime, site, { ...request, headers, ...LIMITS });
  const report =
    answer.status === 200 ? JSON.parse(answer.body.toString()) : { problems: [`It answers with ${answer.status}.`] };
  return {
    ok: report.problems.length === 0,
    coreVersion: report.core_version ?? site.coreVersion,
    phpVersion: report.php_version ?? site.phpVersion,
    problems: report.problems,
  };
}
