export { findHome, findStorage } from './cluster.sql.ts';
