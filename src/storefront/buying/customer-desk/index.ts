export { merge } from './merge.ts';
