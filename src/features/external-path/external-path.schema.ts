import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Timestamp, Uuid } from '#core/http/schema.ts';

export const ExternalPath = Type.Object(
  {
    id: Uuid,
    path: Type.String({ description: 'Requests to this path, and to everything below it, go elsewhere' }),
    external_name: Type.String({ description: 'The URL that they go to, with the path taken off' }),
    created_at: Timestamp,
  },
  { title: 'ExternalPath' },
);
export type ExternalPath = Static<typeof ExternalPath>;

export const NewExternalPath = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 200, description: 'Such as /shop' }),
  external_name: Type.String({ minLength: 1, maxLength: 2083, description: 'Such as https://shop.example.com/' }),
});
export type NewExternalPath = Static<typeof NewExternalPath>;

export const externalPathNotFound = failure('external_path.not_found', 404, 'There is no such external path.');
export const externalPathExists = failure('external_path.exists', 409, 'The site has an external path there already.');
export const tooManyExternalPaths = failure(
  'external_path.too_many',
  409,
  'The site has 50 external paths; delete some first.',
);
