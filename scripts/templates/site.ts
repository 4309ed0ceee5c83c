/** A site that becomes an archive: what its pages say, and the pictures that are drawn for it. */
export interface SiteDraft {
  name: 'blog' | 'portfolio' | 'business';
  title: string;
  tagline: string;
  readme: string;
  pictures: DrawnPicture[];
  categories: { slug: string; name: string; description: string }[];
  pages: DraftPage[];
  posts: DraftPost[];
  /** By their slugs: what is drawn around the content. */
  templates: Record<string, (site: Finished) => string>;
  header: (site: Finished) => string;
  footer: (site: Finished) => string;
  /** The page at the front; the newest posts otherwise. */
  front?: { page: string; posts?: string };
  menu: { label: string; page: string }[];
  styles: { settings: object; styles: object };
}

export interface DrawnPicture {
  slug: string;
  alt: string;
  width: number;
  height: number;
  svg: string;
}

export interface DraftPage {
  slug: string;
  title: string;
  content: (site: Finished) => string;
  template?: string;
}

export interface DraftPost extends DraftPage {
  date: string;
  excerpt: string;
  categories: string[];
  picture: string;
}

/** What is known of a site when its pages are written. */
export interface Finished {
  picture(slug: string): { id: number; url: string; alt: string };
  page(slug: string): string;
  menu: number;
}

/** The address that an archive says; each site that is made of it gets its own. */
export const ADDRESS = 'http://template.invalid';

interface Face {
  file: string;
  weight: string;
  style?: 'italic';
}

/** A family of the fonts that the theme brings along. */
export const family = (name: string, kind: 'serif' | 'sans-serif', faces: Face[]) => ({
  name,
  slug: name.toLowerCase().replaceAll(' ', '-'),
  fontFamily: `${/ /.test(name) ? `"${name}"` : name}, ${kind}`,
  fontFace: faces.map(({ file, weight, style = 'normal' }) => ({
    fontFamily: /\s/.test(name) ? `"${name}"` : name,
    fontStyle: style,
    fontWeight: weight,
    src: [`file:./assets/fonts/${file}`],
  })),
});

const NAMES = ['Base', 'Contrast', 'Accent 1', 'Accent 2', 'Accent 3', 'Accent 4', 'Accent 5'];

/** The colours of the theme, in its own order: ground, ink, and five more. */
export const palette = (...colours: [string, string, string, string, string, string, string]) => ({
  palette: {
    theme: [
      ...colours.map((color, index) => {
        const name = NAMES[index] as string;
        return { color, name, slug: name.toLowerCase().replace(' ', '-') };
      }),
      { color: 'color-mix(in srgb, currentColor 18%, transparent)', name: 'Accent 6', slug: 'accent-6' },
    ],
  },
});

/** The footer is coloured and follows what is above it without a gap. */
export const FOOTER_AT_ONCE = 'footer.wp-block-template-part { margin-block-start: 0; }';
