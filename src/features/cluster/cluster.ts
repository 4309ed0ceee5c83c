export { findHome } from './cluster.sql.ts';
