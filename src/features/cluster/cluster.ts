export { type SiteOnCluster, settle } from './cluster.settle.ts';
export { findHome, findStorage } from './cluster.sql.ts';
