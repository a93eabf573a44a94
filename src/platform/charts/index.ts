export { barChart, histogram } from './bars.ts';
export type { Chart } from './chart.ts';
export { type Grain, grainOf, type Span, spansOf, zoomQuery } from './grain.ts';
export { lengthsOf } from './lengths.ts';
export { lineChart } from './line.ts';
export { heatStrip, meter, sparkline } from './strips.ts';
