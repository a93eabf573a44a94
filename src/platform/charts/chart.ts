import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { figureText } from '#kernel/figure-words.ts';
import { csvField, csvText } from '#kernel/records/csv-write.ts';

/** A mark of a drawing: an element of SVG, and the words that a pointer over it shows. */
export interface Mark {
  readonly tag: 'path' | 'circle' | 'rect' | 'text';
  /** Presentation attributes and classes: there is no inline style under the content security policy. */
  readonly at: Readonly<Record<string, string | number>>;
  readonly text?: string;
  readonly title?: string;
}

/** The figures of one thing, one a point; null where nothing was measured. */
export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** What every chart says of itself. */
export interface ChartWords {
  /** Distinguishes it on its page. */
  readonly id: string;
  readonly title: string;
  /** What is counted: `validations`, `ms`, `%`. */
  readonly unit: string;
  /** Where the same figures are a file; null where they are none. The page carries the file when absent. */
  readonly csvHref?: string | null;
  /** Where the label of each row of its table leads: what stands behind that point. */
  readonly hrefs?: readonly string[];
}

/** A drawing with everything that stands around it (admin.md 8). `templates/panel/chart.ejs` shows it. */
export interface Chart extends ChartWords {
  readonly width: number;
  readonly height: number;
  readonly desc: string;
  readonly marks: readonly Mark[];
  /** Names of series and the classes that they are drawn with; empty for a single one. */
  readonly legend: readonly { readonly label: string; readonly name: string }[];
  /** The figures as a table: heads, and a row for each point. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export const WIDTH = 640;
export const HEIGHT = 180;
/** Room for the words of the axes. */
export const PLOT = { left: 62, right: 632, top: 16, bottom: 156 } as const;

/** Coordinates have one decimal: more is not seen, and bytes. */
export const round = (value: number): number => Math.round(value * 10) / 10;

let shortFormat: Intl.NumberFormat | undefined;
/** For the ticks of an axis: `1.2K`. */
function short(value: number): string {
  shortFormat ??= new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
  return shortFormat.format(value);
}

/** A figure in words: `1,234.5`, or a dash for none. */
export const figure = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : figureText(value);

/** Name of the class of a series: it has a color and a dash of its own. */
export const seriesClass = (at: number): string => `s${at % 4}`;

/** The largest value; 1 where all are nothing, so that a scale has a length. */
export const largest = (all: readonly (readonly (number | null)[])[]): number =>
  Math.max(0, ...all.flat().map((value) => value ?? 0)) || 1;

/** Lines across with their figures. @param y its range goes from the bottom up */
export function grid(y: ScaleLinear<number, number>): Mark[] {
  // What is counted has no halves.
  const ticks = y.ticks(4).filter((tick) => Number.isInteger(tick) || (y.domain()[1] ?? 0) < 1);
  const lines = ticks.map((tick) => `M${PLOT.left},${round(y(tick))}H${PLOT.right}`).join('');
  return [
    { tag: 'path', at: { class: 'grid', d: lines } },
    ...ticks.map(
      (tick): Mark => ({
        tag: 'text',
        at: { x: PLOT.left - 6, y: round(y(tick)) + 4, 'text-anchor': 'end' },
        text: short(tick),
      }),
    ),
  ];
}

/** Words below a drawing. */
export const below = (x: number, text: string, anchor: 'start' | 'middle' | 'end' = 'middle'): Mark => ({
  tag: 'text',
  at: { x: round(x), y: HEIGHT - 6, 'text-anchor': anchor },
  text,
});

/** Which of many points have words of their own: as many as there is room for, spread evenly, the last one among them. */
export function spread(count: number, most: number): Set<number> {
  const step = Math.max(1, Math.ceil(count / Math.max(1, most)));
  return new Set(
    Array.from({ length: Math.ceil(count / step) }, (_, at) => count - 1 - at * step).filter((at) => at >= 0),
  );
}

/** What somebody hears who does not see the drawing: the ends and the extremes of each series. */
export function describe(labels: readonly string[], series: readonly Series[], unit: string): string {
  if (labels.length === 0) return 'No figures.';
  const parts = series.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${label}: no figures`;
    return `${label}: lowest ${figure(Math.min(...known))}, highest ${figure(Math.max(...known))}, last ${figure(known.at(-1))}`;
  });
  return `${labels[0]} to ${labels.at(-1)}, in ${unit}. ${parts.join('. ')}.`;
}

/** What is drawn of a chart with axes, and how the figures are called. */
interface Drawing {
  /** Head of the column of labels in the table. */
  readonly first: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly marks: readonly Mark[];
  /** Class of a series; the one of its place when absent. */
  readonly nameOf?: (at: number) => string;
  /** Said at the end of the description. */
  readonly remark?: string;
}

/** A chart of the usual size: what stands around its marks follows from its figures. */
export const framed = (
  words: ChartWords,
  { first, labels, series, marks, nameOf = seriesClass, remark = '' }: Drawing,
): Chart => ({
  ...words,
  width: WIDTH,
  height: HEIGHT,
  desc: `${describe(labels, series, words.unit)}${remark}`,
  marks,
  legend: series.length < 2 ? [] : series.map(({ label }, at) => ({ label, name: nameOf(at) })),
  ...tableOf(first, labels, series),
  csvHref: words.csvHref === undefined ? fileOf(first, labels, series) : words.csvHref,
});

/** The figures as a file within an address: a browser saves it without asking the server again. */
function fileOf(first: string, labels: readonly string[], series: readonly Series[]): string | null {
  if (labels.length === 0) return null;
  const head = [first, ...series.map(({ label }) => label)];
  const rows = labels.map((label, at) => [label, ...series.map(({ values }) => csvField(values[at]))]);
  return `data:text/csv;charset=utf-8,${encodeURIComponent(csvText([head, ...rows]))}`;
}

/** A scale upwards from nothing to the largest value. */
export const upwards = (top: number): ScaleLinear<number, number> =>
  scaleLinear([0, top], [PLOT.bottom, PLOT.top]).nice(4);

/** The figures as a table. @param first head of the column of labels */
export const tableOf = (first: string, labels: readonly string[], series: readonly Series[]) => ({
  columns: [first, ...series.map(({ label }) => label)],
  rows: labels.map((label, at) => [label, ...series.map(({ values }) => figure(values[at]))]),
});
