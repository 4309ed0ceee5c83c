/** Where a site's things are for its people; the site's PHP has them in the same places. */
export const PATHS = {
  core: '/site/wordpress',
  content: '/site/wordpress/wp-content',
  themes: '/site/themes',
} as const;
