import { zipFiles } from '../archives/zip.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** A plugin of the directory: the PHP of each of its versions, the newest last. */
export type Releases = Record<string, Record<string, string>>;

export const pluginPhp = (title: string, version: string, code = '') =>
  `<?php\n/*\nPlugin Name: ${title}\nVersion: ${version}\n*/\n${code}\n`;

/** Stands for api.wordpress.org and downloads.wordpress.org on loopback, and speaks as they do. `offers` can change while it runs. */
export async function startDirectory(offers: Releases): Promise<Upstream & { mustUse: string }> {
  const newest = (slug: string) => Object.keys(offers[slug] ?? {}).at(-1);
  const upstream = await startUpstream(({ url, body }) => {
    if (url.pathname === '/plugins/update-check/1.1/') {
      const { plugins = {} } = JSON.parse(new URLSearchParams(body).get('plugins') ?? '{}') as {
        plugins?: Record<string, { Version: string }>;
      };
      const updates = Object.entries(plugins).flatMap(([plugin, { Version }]) => {
        const slug = plugin.split('/')[0] ?? '';
        const version = newest(slug);
        return version && version !== Version ? [[plugin, { ...aboutOf(slug, version), plugin }]] : [];
      });
      return { body: { plugins: Object.fromEntries(updates), translations: [], no_update: {} } };
    }
    if (url.pathname === '/themes/update-check/1.1/') return { body: { themes: {}, translations: [], no_update: {} } };
    if (url.pathname === '/plugins/info/1.2/') {
      const slug = url.searchParams.get('request[slug]') ?? '';
      const version = newest(slug);
      if (!version) return { status: 404, body: { error: 'Plugin not found.' } };
      return { body: { name: slug, ...aboutOf(slug, version), version, language_packs: [] } };
    }
    const [, slug = '', version = ''] = /^\/plugin\/([\w-]+)\.([\d.]+)\.zip$/.exec(url.pathname) ?? [];
    const php = offers[slug]?.[version];
    return php === undefined ? undefined : { body: zipFiles({ [`${slug}/${slug}.php`]: php }) };
  });
  return { ...upstream, mustUse: sentTo(upstream.port) };
}

function aboutOf(slug: string, version: string) {
  const link = `https://downloads.wordpress.org/plugin/${slug}.${version}.zip`;
  return { id: `w.org/plugins/${slug}`, slug, new_version: version, package: link, download_link: link };
}

/** What brings a site's own requests there instead: a must-use plugin. */
const sentTo = (port: number) => `<?php
add_filter( 'pre_http_request', function ( $answer, $args, $url ) {
  $ours = preg_replace( '#^https?://(api|downloads)\\.wordpress\\.org/#', 'http://127.0.0.1:${port}/', $url );
  return $ours === $url ? $answer : wp_remote_request( $ours, array( 'reject_unsafe_urls' => false ) + $args );
}, 10, 3 );
`;
