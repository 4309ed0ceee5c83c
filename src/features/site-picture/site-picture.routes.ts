import { Type } from 'typebox';
import { rawOperation } from '#core/http/operation.ts';
import { Fqdn } from '#core/http/schema.ts';
import { onSite } from '#features/instance/instance.ts';
import { PictureQuery } from './site-picture.schema.ts';
import { pictureOf } from './site-picture.ts';

export const sitePictureOperations = [
  rawOperation({
    id: 'getSitePicture',
    showsContent: true,
    method: 'GET',
    path: '/site/{fqdn}/picture',
    tag: 'sites',
    summary:
      'What a site looks like: its front page as a browser shows it, taken anew some hours after the site changed, or a drawing in the colours of its theme. 640 x 400 while the first one is being taken',
    access: onSite('viewer'),
    params: Type.Object({ fqdn: Fqdn }),
    query: PictureQuery,
    produces: 'image/*',
    async serve({ db, services, subject: site }, _request, reply) {
      const { content, type, isWaiting } = await pictureOf(db, services, site);
      reply.headers({
        'content-security-policy': "sandbox; default-src 'none'",
        'content-type': type,
        // Whose rights end sees it for so long.
        'cache-control': isWaiting ? 'no-store' : 'private, max-age=300',
        'cross-origin-resource-policy': 'same-origin',
      });
      return reply.send(content);
    },
  }),
];
