export { countAll, type Totals } from './queries.ts';
