import { type Fault, invalid } from '#core/errors.ts';
import type { Call } from '#core/http/operation.ts';
import { requireIdle } from '#features/hold/hold.ts';
import { lockNamedSite, recordSiteEvent, type SiteRow, siteOrStage, updateSite } from '#features/instance/instance.ts';
import type { StageChange, StageSite } from '#features/site/site.schema.ts';
import { changesOf, checkFirewall, didTo, readAddresses, SETTINGS } from '#features/site/site.ts';
import { viewPair } from './stage.ts';

/** A stage begins with the settings of its site and keeps its own from then on. */
export async function changeStage(call: Call, named: SiteRow, input: StageChange): Promise<StageSite> {
  const { db, caller } = call;
  const live = await lockNamedSite(db, named);
  const stage = await siteOrStage(db, live, true);
  requireIdle(stage);
  const faults: Fault[] = [];
  const list = input.cdn_firewall_allowed_ips;
  const wanted = list ? { ...input, cdn_firewall_allowed_ips: readAddresses(list, faults) } : input;
  const change = changesOf(stage, wanted, SETTINGS);
  faults.push(...checkFirewall({ ...stage, ...change }));
  if (faults.length > 0) throw invalid(...faults);
  const did = Object.entries(change).map(([name, value]) => didTo(name, value));
  if (did.length > 0) {
    await updateSite(db, stage.id, change);
    const { cdn_firewall_allowed_ips: _list, ...told } = change;
    await recordSiteEvent(db, caller, stage, {
      event_type: 'site.updated',
      activity: `${caller.fullName} ${did.join(', ')} of ${stage.fqdn}`,
      detail: { changed: told },
    });
  }
  return viewPair(db, live);
}
