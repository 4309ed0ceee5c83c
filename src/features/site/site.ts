export { siteIsInTeam } from './site.sql.ts';
