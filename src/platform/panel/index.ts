export { panel } from './capability.ts';
export { barChart, histogram } from './charts/bars.ts';
export type { Chart } from './charts/chart.ts';
export { lineChart } from './charts/line.ts';
export { heatStrip, meter, sparkline } from './charts/strips.ts';
export { PANEL } from './screens/list-page.ts';
export { panelTenant } from './tenant.ts';
