/** Blocks as the editor of WordPress writes them, so that whoever opens a page there finds nothing to mend. */
type Attributes = Record<string, unknown>;

export const all = (...blocks: string[]): string => blocks.join('\n\n');

/** A block that WordPress draws by itself, with what is in it. */
export function dynamic(name: string, attributes: Attributes = {}, inner?: string): string {
  const head = `wp:${name}${Object.keys(attributes).length > 0 ? ` ${JSON.stringify(attributes)}` : ''}`;
  return inner === undefined ? `<!-- ${head} /-->` : `<!-- ${head} -->\n${inner}\n<!-- /wp:${name} -->`;
}

interface Look {
  align?: 'wide' | 'full';
  text?: string;
  background?: string;
  size?: string;
  center?: boolean;
  className?: string;
  /** Spacing by the theme's steps, or any length. */
  padding?: string;
  paddingX?: string;
  gap?: string;
  radius?: string;
  marginTop?: string;
  marginBottom?: string;
}

const step = (value: string) => (/^\d0$/.test(value) ? `var:preset|spacing|${value}` : value);
const css = (value: string) => value.replace(/^var:preset\|(\w+)\|(.+)$/, 'var(--wp--preset--$1--$2)');

/** The attributes of a look, the classes and the style that go with them. */
function dressed(look: Look) {
  const { align, text, background, size, padding, paddingX, gap, radius, marginTop, marginBottom } = look;
  const spacing: Attributes = {};
  const style: string[] = [];
  if (radius !== undefined) style.push(`border-radius:${radius}`);
  const margin = { ...(marginTop && { top: step(marginTop) }), ...(marginBottom && { bottom: step(marginBottom) }) };
  if (Object.keys(margin).length > 0) spacing.margin = margin;
  for (const [side, value] of Object.entries(margin)) style.push(`margin-${side}:${css(value)}`);
  if (padding !== undefined || paddingX !== undefined) {
    const x = paddingX === undefined ? {} : { right: step(paddingX), left: step(paddingX) };
    const y = padding === undefined ? {} : { top: step(padding), bottom: step(padding) };
    spacing.padding = { ...y, ...x };
    for (const side of ['top', 'right', 'bottom', 'left'] as const) {
      const value = ({ ...y, ...x } as Record<string, string>)[side];
      if (value !== undefined) style.push(`padding-${side}:${css(value)}`);
    }
  }
  if (gap !== undefined) spacing.blockGap = step(gap);
  const attributes: Attributes = {
    ...(align && { align }),
    ...(look.className && { className: look.className }),
    ...((Object.keys(spacing).length > 0 || radius) && {
      style: {
        ...(Object.keys(spacing).length > 0 && { spacing }),
        ...(radius && { border: { radius } }),
      },
    }),
    ...(background && { backgroundColor: background }),
    ...(text && { textColor: text }),
    ...(size && { fontSize: size }),
  };
  const classes = [
    ...(align ? [`align${align}`] : []),
    ...(look.className ? [look.className] : []),
    ...(text ? [`has-${text}-color`, 'has-text-color'] : []),
    ...(background ? [`has-${background}-background-color`, 'has-background'] : []),
    ...(size ? [`has-${size}-font-size`] : []),
  ];
  return { attributes, classes, style: style.length > 0 ? ` style="${style.join(';')}"` : '' };
}

const classOf = (names: string[]) => (names.length > 0 ? ` class="${names.join(' ')}"` : '');

export function p(html: string, look: Look = {}): string {
  const { attributes, classes, style } = dressed(look);
  const names = [...(look.center ? ['has-text-align-center'] : []), ...classes];
  return dynamic(
    'paragraph',
    { ...(look.center && { align: 'center' }), ...attributes },
    `<p${classOf(names)}${style}>${html}</p>`,
  );
}

export function h(level: 1 | 2 | 3 | 4, html: string, look: Look = {}): string {
  const { attributes, classes, style } = dressed(look);
  const names = ['wp-block-heading', ...(look.center ? ['has-text-align-center'] : []), ...classes];
  const more = { ...(look.center && { textAlign: 'center' }), ...(level !== 2 && { level }) };
  return dynamic('heading', { ...more, ...attributes }, `<h${level}${classOf(names)}${style}>${html}</h${level}>`);
}

interface GroupLook extends Look {
  tag?: 'main' | 'section' | 'header' | 'footer';
  layout?: Attributes;
}

export function group(look: GroupLook, ...inner: string[]): string {
  const { attributes, classes, style } = dressed(look);
  const tag = look.tag ?? 'div';
  const more = {
    ...(look.tag && { tagName: look.tag }),
    ...attributes,
    layout: look.layout ?? { type: 'constrained' },
  };
  return dynamic('group', more, `<${tag}${classOf(['wp-block-group', ...classes])}${style}>${all(...inner)}</${tag}>`);
}

export const row = (look: GroupLook, ...inner: string[]): string =>
  group(
    { ...look, layout: { type: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', ...look.layout } },
    ...inner,
  );
export const grid = (look: GroupLook & { least?: string }, ...inner: string[]): string =>
  group({ ...look, layout: { type: 'grid', minimumColumnWidth: look.least ?? '18rem' } }, ...inner);

export function columns(look: Look & { middle?: boolean }, ...inner: string[]): string {
  const { attributes, classes, style } = dressed(look);
  const names = ['wp-block-columns', ...(look.middle ? ['are-vertically-aligned-center'] : []), ...classes];
  const more = { ...(look.middle && { verticalAlignment: 'center' }), ...attributes };
  return dynamic('columns', more, `<div${classOf(names)}${style}>${all(...inner)}</div>`);
}

export function column(width: string | undefined, middle: boolean, ...inner: string[]): string {
  const names = ['wp-block-column', ...(middle ? ['is-vertically-aligned-center'] : [])];
  const style = width === undefined ? '' : ` style="flex-basis:${width}"`;
  const more = { ...(middle && { verticalAlignment: 'center' }), ...(width !== undefined && { width }) };
  return dynamic('column', more, `<div${classOf(names)}${style}>${all(...inner)}</div>`);
}

export interface Picture {
  id: number;
  url: string;
  alt: string;
}

export function image(
  { id, url, alt }: Picture,
  look: { align?: 'wide' | 'full'; radius?: string; ratio?: string; width?: string } = {},
): string {
  const { align, radius, ratio, width } = look;
  const border = radius ? { style: { border: { radius } } } : {};
  const shape = { ...(width && { width }), ...(ratio && { aspectRatio: ratio, scale: 'cover' }) };
  const style = [
    ...(radius ? [`border-radius:${radius}`] : []),
    ...(ratio ? [`aspect-ratio:${ratio}`, 'object-fit:cover'] : []),
    ...(width ? [`width:${width}`] : []),
  ].join(';');
  const names = [
    'wp-block-image',
    ...(align ? [`align${align}`] : []),
    'size-full',
    ...(width ? ['is-resized'] : []),
    ...(radius ? ['has-custom-border'] : []),
  ];
  const html = `<img src="${url}" alt="${alt}" class="wp-image-${id}"${style ? ` style="${style}"` : ''}/>`;
  const attributes = { id, ...shape, sizeSlug: 'full', linkDestination: 'none', ...(align && { align }), ...border };
  return dynamic('image', attributes, `<figure${classOf(names)}>${html}</figure>`);
}

export function buttons(links: { label: string; url: string; outline?: boolean }[], center = false): string {
  const each = links.map(({ label, url, outline }) => {
    const names = ['wp-block-button', ...(outline ? ['is-style-outline'] : [])];
    const html = `<div${classOf(names)}><a class="wp-block-button__link wp-element-button" href="${url}">${label}</a></div>`;
    return dynamic('button', outline ? { className: 'is-style-outline' } : {}, html);
  });
  const more = center ? { layout: { type: 'flex', justifyContent: 'center' } } : {};
  return dynamic('buttons', more, `<div class="wp-block-buttons">${all(...each)}</div>`);
}

export function list(...items: string[]): string {
  const each = items.map((item) => dynamic('list-item', {}, `<li>${item}</li>`));
  return dynamic('list', {}, `<ul class="wp-block-list">${all(...each)}</ul>`);
}

export const quote = (text: string, who: string): string =>
  dynamic('quote', {}, `<blockquote class="wp-block-quote">${p(text)}<cite>${who}</cite></blockquote>`);
export const details = (summary: string, text: string): string =>
  dynamic('details', {}, `<details class="wp-block-details"><summary>${summary}</summary>${p(text)}</details>`);
export const line = (): string =>
  dynamic(
    'separator',
    { className: 'is-style-wide' },
    '<hr class="wp-block-separator has-alpha-channel-opacity is-style-wide"/>',
  );
export const part = (slug: 'header' | 'footer'): string => dynamic('template-part', { slug, tagName: slug });
