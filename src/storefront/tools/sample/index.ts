export { load, SAMPLE_PRODUCTS } from './load.ts';
