/**
 * The check of a change that can break a site, which whoever makes one uses: its pages are asked before and after, and where one broke, the site goes back
 * to what it was. The change itself is the caller's, who has the site to itself and has kept it before.
 */
export {
  brokenSince,
  comparePages,
  lookAtPages,
  type PageCheck,
  saidSince,
  whyTakenBack,
} from './look-at-pages.ts';
export { takeBack } from './take-back.ts';
