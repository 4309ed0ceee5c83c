import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Empty, say } from '#core/http/schema.ts';
import { anyone, operator, operatorOn } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import {
  lastRegion,
  NewRegion,
  OperatorRegion,
  Region,
  RegionChange,
  RegionId,
  regionExists,
  regionInUse,
  regionNotFound,
} from './region.schema.ts';
import { findRegion, listRegions } from './region.sql.ts';
import { createRegion, deleteRegion, getRegion, updateRegion } from './region.ts';

const withSiteDomain = <R extends object>({ config }: Services, region: R) => ({
  ...region,
  site_domain: config.siteDomain,
  stage_domain: config.stageDomain,
});
const RegionPath = Type.Object({ region_id: say(RegionId, 'The number of the region') });

export const regionOperations = [
  operation({
    id: 'listRegions',
    method: 'GET',
    path: '/region',
    tag: 'regions',
    summary: 'The places where sites can be hosted',
    access: anyone,
    assistant: true,
    response: Type.Array(Region),
    handle: async ({ db, services }) => (await listRegions(db)).map((region) => withSiteDomain(services, region)),
  }),
  operation({
    id: 'getRegion',
    method: 'GET',
    path: '/region/{region_id}',
    tag: 'regions',
    summary: 'One region',
    access: anyone,
    params: RegionPath,
    response: Region,
    errors: [regionNotFound],
    handle: async ({ db, services, params }) => withSiteDomain(services, await getRegion(db, params.region_id)),
  }),
  operation({
    id: 'listAllRegions',
    method: 'GET',
    path: '/operator/region',
    tag: 'operators',
    summary: 'List regions with the clusters that their sites are created on',
    access: operator,
    response: Type.Array(OperatorRegion),
    handle: async ({ db, services }) => (await listRegions(db)).map((region) => withSiteDomain(services, region)),
  }),
  operation({
    id: 'createRegion',
    method: 'POST',
    path: '/operator/region',
    tag: 'operators',
    summary: 'Add a region',
    access: operator,
    body: NewRegion,
    response: OperatorRegion,
    errors: [regionExists],
    handle: async ({ db, services, body }) => withSiteDomain(services, await createRegion(db, services.config, body)),
  }),
  operation({
    id: 'updateRegion',
    method: 'PATCH',
    path: '/operator/region/{region_id}',
    tag: 'operators',
    summary: 'Change a region',
    access: operatorOn((db, { region_id }) => findRegion(db, Number(region_id)), regionNotFound),
    params: RegionPath,
    body: RegionChange,
    response: OperatorRegion,
    errors: [regionExists],
    handle: async ({ db, services, params, body }) =>
      withSiteDomain(services, await updateRegion(db, services.config, params.region_id, body)),
  }),
  operation({
    id: 'deleteRegion',
    method: 'DELETE',
    path: '/operator/region/{region_id}',
    tag: 'operators',
    summary: 'Delete a region',
    access: operator,
    params: RegionPath,
    response: Empty,
    errors: [regionNotFound, lastRegion, regionInUse],
    async handle({ db, params }) {
      await deleteRegion(db, params.region_id);
      return {};
    },
  }),
];
