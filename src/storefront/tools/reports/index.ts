export { changeWords } from './pages/table.ts';
export { figureOf, type Reported, report } from './reports.ts';
