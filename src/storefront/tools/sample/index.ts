export { load, SAMPLE_PRODUCTS } from './load.ts';
export { unchangedPages } from './pages-left.ts';
