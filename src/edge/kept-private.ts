import type { RawHeaders } from './raw-headers.ts';

/**
 * The headers of an answer of a private site: whoever is between keeps nothing. All else that Cache-Control says stays,
 * since `private` alone would loosen a `no-store`.
 */
export function keptPrivate(headers: RawHeaders): RawHeaders {
  let directives = ['private'];
  const result: RawHeaders = [];
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index] as string, headers[index + 1] as string];
    if (/^cache-control$/i.test(name)) directives = directives.concat(readDirectives(value));
    else if (!/^(?:cdn-cache|surrogate)-control$/i.test(name)) result.push(name, value);
  }
  return [...result, 'Cache-Control', directives.join(', ')];
}

/** Without what is said of shared caches. What a directive is set to may be quoted, commas included. */
function readDirectives(cacheControl: string): string[] {
  const directives = cacheControl.match(/(?:[^,"]|"[^"]*")+/g)?.map((directive) => directive.trim()) ?? [];
  return directives.filter(
    (each) => each !== '' && !/^(?:public|private|s-maxage|proxy-revalidate)(?:=|$)/i.test(each),
  );
}
