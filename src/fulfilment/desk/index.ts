export { ordersByKey } from './named.ts';
