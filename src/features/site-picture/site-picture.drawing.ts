import { createHash } from 'node:crypto';
import { escapeHtml } from '#core/escape-html.ts';

/** What a picture is drawn from where no browser takes one: a site's name and title, and its front page where that could be read. */
export interface Drawn {
  fqdn: string;
  title?: string | undefined;
  html?: string | undefined;
}

/** What is shown until there is a better one has its own size, so that whoever shows it knows to ask again. */
const WAITING_SIZE = { width: 640, height: 400 };
const FINAL_SIZE = { width: 960, height: 600 };

const MAX_TITLE = 60;
/** Names that themes give to their colours, the most telling first. */
const GROUNDS = ['base', 'background', 'base-2'];
const INKS = ['contrast', 'foreground', 'contrast-2'];
const ACCENTS = ['primary', 'accent-1', 'accent', 'accent-2', 'secondary', 'accent-3', 'vivid-cyan-blue'];
const HEX = '#(?:[0-9a-f]{6}|[0-9a-f]{3})';

/** An image of a page as the site's own theme colours it. Nothing of the page gets in but plain text and colours. */
export function drawPicture({ fqdn, title: known, html }: Drawn, isFinal: boolean): Buffer {
  const { width, height } = isFinal ? FINAL_SIZE : WAITING_SIZE;
  const title = escapeHtml(shortened(titleOf(html) || known || fqdn));
  const { ground, ink, accent } = coloursOf(fqdn, html);
  const line = (x: number, y: number, w: number, opacity: number) =>
    `<rect x="${x}" y="${y}" width="${w}" height="10" rx="5" fill="${ink}" opacity="${opacity}"/>`;
  // So that it ends before the picture does.
  const size = Math.max(22, Math.min(64, Math.floor(1_350 / title.length)));
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 960 600" role="img">` +
      `<rect width="960" height="600" fill="${ground}"/><rect width="960" height="8" fill="${accent}"/>` +
      `<circle cx="84" cy="64" r="16" fill="${accent}"/>${line(112, 59, 96, 0.55)}` +
      `${line(700, 59, 52, 0.3)}${line(772, 59, 52, 0.3)}${line(844, 59, 52, 0.3)}` +
      `<text x="68" y="230" font-family="system-ui, sans-serif" font-weight="700" font-size="${size}" fill="${ink}">${title}</text>` +
      `${line(70, 276, 520, 0.35)}${line(70, 300, 460, 0.35)}` +
      `<rect x="70" y="346" width="150" height="46" rx="8" fill="${accent}"/>` +
      [0, 1, 2]
        .map(
          (at) => `<rect x="${70 + at * 280}" y="450" width="252" height="150" rx="10" fill="${ink}" opacity="0.08"/>`,
        )
        .join('') +
      '</svg>',
  );
}

function titleOf(html: string | undefined): string | undefined {
  // Bounded: of many tags that never end each would be read to the end of the page, and everybody waits for that.
  const text = /<title[^>]{0,200}>([^<]{1,400})/i.exec(html ?? '')?.[1];
  // What is around the name of the site: "Name – The tagline".
  return decoded(text ?? '')
    .split(/\s+[–—|·-]\s+/)[0]
    ?.replace(/\s+/g, ' ')
    .trim();
}

function shortened(name: string): string {
  const letters = [...name.replace(/\p{Cc}/gu, '').toWellFormed()];
  return letters.length > MAX_TITLE ? `${letters.slice(0, MAX_TITLE - 1).join('')}…` : letters.join('');
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    if (code !== undefined) return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
    return NAMED[String(name).toLowerCase()] ?? whole;
  });
}

function coloursOf(fqdn: string, html = ''): { ground: string; ink: string; accent: string } {
  const preset = (names: readonly string[]) => {
    for (const name of names) {
      const found = new RegExp(`--wp--preset--color--${name}:\\s*(${HEX})\\s*[;}]`, 'i').exec(html)?.[1];
      if (found) return found;
    }
    return undefined;
  };
  const meta = new RegExp(`<meta name=["']theme-color["'] content=["'](${HEX})["']`, 'i').exec(html)?.[1];
  const hue = createHash('sha256').update(fqdn).digest().readUInt16BE() % 360;
  const ground = preset(GROUNDS) ?? '#ffffff';
  const ink = preset(INKS) ?? (isDark(ground) ? '#ffffff' : '#1d2327');
  return {
    ground,
    ink: isDark(ink) === isDark(ground) ? (isDark(ground) ? '#ffffff' : '#1d2327') : ink,
    accent: meta ?? preset(ACCENTS) ?? `hsl(${hue} 45% 45%)`,
  };
}

function isDark(hex: string): boolean {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit) : hex.slice(1).match(/../g);
  const [red = 0, green = 0, blue = 0] = (digits ?? []).map((pair) => Number.parseInt(pair, 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 140;
}
