import mime from 'mime';

/** The files that come straight from disk. Whatever is not here is PHP's business, a dump or a log that lies about too. */
const EXTENSIONS = [
  'css js mjs map json html htm txt md csv vtt ics xml xsl rss webmanifest wasm',
  'svg png jpg jpeg jpe gif webp avif heic bmp tif tiff ico cur woff woff2 ttf otf eot',
  'mp3 m4a aac ogg oga opus wav flac mid mp4 m4v mov webm ogv avi mpg mpeg wmv 3gp',
  'pdf zip gz tar rar 7z doc docx xls xlsx ppt pptx odt ods odp epub rtf',
].flatMap((line) => line.split(' '));

/** Where browsers know another name better than the registered one. */
const OWN_TYPES: Record<string, string> = {
  xsl: 'application/xslt+xml',
  ico: 'image/x-icon',
  cur: 'image/x-icon',
  flac: 'audio/flac',
  m4v: 'video/mp4',
};

const IS_TEXT = /^(?:text\/.+|application\/(?:json|xml|.+\+xml))$/;

export const CONTENT_TYPES: ReadonlyMap<string, string> = new Map(EXTENSIONS.map((name) => [name, contentType(name)]));

function contentType(extension: string): string {
  const type = OWN_TYPES[extension] ?? mime.getType(extension);
  if (type === null) throw new Error(`nobody knows the type of .${extension}`);
  return IS_TEXT.test(type) ? `${type}; charset=utf-8` : type;
}
