import { scaleBand, scaleLinear } from 'd3-scale';
import { stack } from 'd3-shape';
import {
  below,
  type Chart,
  type ChartWords,
  figure,
  framed,
  grid,
  largest,
  type Mark,
  PLOT,
  round,
  type Series,
  seriesClass,
  spread,
  upwards,
  WIDTH,
} from './chart.ts';

/** Figures of some things beside each other. */
export interface BarSpec extends ChartWords {
  /** Head of the column of labels in the table. */
  readonly of: string;
  readonly labels: readonly string[];
  /** Stacked where there are several; each a hatch of its own. */
  readonly series: readonly Series[];
}

/** How many bars have words, and how many letters there is room for below: as wide as they are in a narrow window. */
const MOST_TOLD = 18;
const LETTER = 10;
const LONGEST = 18;

/** Bars, stacked where there are several series. Few labels stand below; all figures are in the table. */
export function barChart({ of, labels, series, ...words }: BarSpec): Chart {
  const x = scaleBand<number>(labels.keys(), [PLOT.left, PLOT.right]).padding(
    labels.length > 40 ? 0.1 : 0.25,
  );
  const totals = labels.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const y = upwards(largest([totals]));
  const layers = stack<number, number>()
    .keys(series.keys())
    .value((at, key) => series[key]?.values[at] ?? 0)([...labels.keys()]);
  const middle = (at: number): number => round((x(at) ?? 0) + x.bandwidth() / 2);
  const bars = layers.map((layer, key): Mark => {
    const d = layer
      .map(([from, to], at) => (to > from ? `M${middle(at)},${round(y(from))}V${round(y(to))}` : ''))
      .join('');
    return { tag: 'path', at: { class: `bar ${seriesClass(key)}`, 'stroke-width': round(x.bandwidth()), d } };
  });
  const told = spread(labels.length, MOST_TOLD);
  const hits = labels.flatMap((label, at): Mark[] => {
    if (!told.has(at)) return [];
    const title = `${label}: ${series.map(({ values }) => figure(values[at])).join(' + ')}`;
    const d = `M${middle(at)},${PLOT.bottom}V${PLOT.top}`;
    return [{ tag: 'path', at: { class: 'hit', 'stroke-width': round(x.step()), d }, title }];
  });
  const marks = [...grid(y), ...labelsBelow(labels, middle, x.step()), ...bars, ...hits];
  return framed(words, { first: of, labels, series, marks });
}

function labelsBelow(labels: readonly string[], middle: (at: number) => number, step: number): Mark[] {
  const longest = Math.min(LONGEST, Math.max(1, ...labels.map(({ length }) => length)));
  // Half as much again: one at the edge moves inside by half of its length.
  const shown = spread(labels.length, Math.floor((PLOT.right - PLOT.left) / (1.5 * longest * LETTER)));
  return labels.flatMap((label, at) => {
    const isLast = middle(at) + (longest * LETTER) / 2 > WIDTH && step < longest * LETTER;
    return shown.has(at) ? [below(isLast ? WIDTH : middle(at), cut(label), isLast ? 'end' : 'middle')] : [];
  });
}

const cut = (label: string): string =>
  label.length > LONGEST ? `${[...label].slice(0, LONGEST - 1).join('')}…` : label;

/** How many of some values lie in each of equal steps. @param values of any order */
export function histogram({
  values,
  steps = 12,
  ...words
}: ChartWords & { values: readonly number[]; steps?: number }): Chart {
  const x = scaleLinear([0, largest([values])], [0, 1]).nice(steps);
  const edges = x.ticks(steps);
  const width = (edges[1] ?? 1) - (edges[0] ?? 0);
  const counts = edges.slice(0, -1).map(() => 0);
  for (const value of values) {
    const at = Math.min(counts.length - 1, Math.max(0, Math.floor(value / width)));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  const labels = counts.map((_, at) => `${figure(edges[at])}–${figure(edges[at + 1])}`);
  return barChart({ ...words, of: words.unit, labels, series: [{ label: 'Count', values: counts }] });
}
