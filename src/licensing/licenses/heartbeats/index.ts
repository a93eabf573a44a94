export { heartbeat } from './heartbeat.ts';
