import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Name, Nullable, say, Timestamp } from '#core/http/schema.ts';

export const RegionId = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const HOST_NAME = '^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$';
const HostName = Type.String({ pattern: HOST_NAME });

const fields = {
  name: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
    description: 'A short word that create site takes as region_name',
  }),
  city: say(Name, 'Where it is'),
  country: say(Name, 'Where it is'),
  country_code: say(Type.String({ pattern: '^[A-Z]{2}$' }), 'Two letters (ISO 3166)'),
  cname: say(HostName, 'What domains of sites there point to'),
  ip: say(Type.String({ format: 'ip' }), 'What domains without a CNAME point to'),
  name_servers: say(Type.Array(HostName, { maxItems: 10 }), 'Those that it runs'),
};
const ClusterName = Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$' });
const CLUSTER = 'The Kubernetes cluster that its sites are made on, by the name that the configuration has for it';
const cluster = say(Nullable(ClusterName), CLUSTER);

export const Region = Type.Object(
  {
    id: RegionId,
    ...fields,
    site_domain: Type.String({ description: 'A site without a domain of its own gets a name under this one' }),
    stage_domain: Type.String({ description: 'A staging site gets a name under this one' }),
    created_at: Timestamp,
  },
  { title: 'Region' },
);
/** The cluster is the operator's own name for a part of the infrastructure, so the public list does not have it. */
export const OperatorRegion = Type.Object({ ...Region.properties, cluster }, { title: 'OperatorRegion' });
/** What the table keeps; the site domain is the platform's setting. */
export type Region = Omit<Static<typeof OperatorRegion>, 'site_domain' | 'stage_domain'>;

export const NewRegion = Type.Object({
  ...fields,
  name_servers: Type.Optional(fields.name_servers),
  cluster: Type.Optional(say(ClusterName, CLUSTER)),
});
export type NewRegion = Static<typeof NewRegion>;
/** Without a cluster its sites go where the configuration says. */
export const RegionChange = Type.Partial(Type.Object({ ...NewRegion.properties, cluster }));
export type RegionChange = Static<typeof RegionChange>;

export const regionNotFound = failure('region.not_found', 404, 'There is no such region.');
export const regionExists = failure('region.exists', 409, 'There is a region of this name already.');
export const lastRegion = failure(
  'region.last',
  409,
  'The last region can not be deleted: sites would have nowhere to go.',
);
export const regionInUse = failure('region.in_use', 409, 'Sites are hosted in this region; move or delete them first.');
