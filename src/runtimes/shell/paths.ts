import { existsSync, realpathSync } from 'node:fs';

/** Where a site's things are for its people; the site's PHP has them in the same places. */
export const PATHS = {
  core: '/site/wordpress',
  content: '/site/wordpress/wp-content',
  themes: '/site/themes',
} as const;

/** As the permission model knows it: places have their own names alone there, and an operator may have put them behind a link. */
export function realFolder(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}
