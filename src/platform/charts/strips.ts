import { scaleLinear, scaleQuantize } from 'd3-scale';
import { line } from 'd3-shape';
import {
  below,
  type Chart,
  type ChartWords,
  describe,
  figure,
  largest,
  type Mark,
  round,
  type Series,
  spread,
  tableOf,
  WIDTH,
} from './chart.ts';

const SPARK = { width: 120, height: 28, edge: 3 } as const;

/** The course of some values without axes, as beside a row of a list. */
export function sparkline({
  labels,
  series,
  ...words
}: ChartWords & { labels: readonly string[]; series: Series }): Chart {
  const { width, height, edge } = SPARK;
  const { values } = series;
  const x = scaleLinear([0, Math.max(1, values.length - 1)], [edge, width - edge]);
  const y = scaleLinear([0, largest([values])], [height - edge, edge]);
  const d = line<number | null>()
    .defined((value) => value !== null)
    .x((_, at) => x(at))
    .y((value) => y(value ?? 0))
    .digits(1)([...values]);
  const last = values.at(-1) ?? null;
  const end: Mark[] =
    last === null
      ? []
      : [
          {
            tag: 'circle',
            at: { class: 's0', cx: round(x(values.length - 1)), cy: round(y(last)), r: 2.5 },
            title: `${labels.at(-1)}: ${figure(last)}`,
          },
        ];
  return {
    ...words,
    width,
    height,
    desc: describe(labels, [series], words.unit),
    marks: [{ tag: 'path', at: { class: 'line s0', d: d ?? '' } }, ...end],
    legend: [],
    ...tableOf('At', labels, [series]),
  };
}

const STRIP = 36;
const LEVELS = 5;
/** Cells that have words of their own where there are more of them than days of a month. */
const MONTH = 31;
const MOST_TOLD = 14;

/**
 * One cell a point, the darker the more: where days stand out. A cell with figures also has a height of its own, so that
 * it does not take an eye for colors; one without is empty.
 *
 * @param most the value of a full cell; the largest of them when absent
 * @param of head of the column of labels
 */
export function heatStrip({
  labels,
  series,
  most,
  of = 'Day (UTC)',
  ...words
}: ChartWords & { labels: readonly string[]; series: Series; most?: number; of?: string }): Chart {
  const { values } = series;
  const level = scaleQuantize(
    [0, most ?? largest([values])],
    Array.from({ length: LEVELS }, (_, at) => at + 1),
  );
  const step = WIDTH / Math.max(1, values.length);
  const told = spread(values.length, values.length <= MONTH ? MONTH : MOST_TOLD);
  const byLevel = new Map<number, string>();
  const hits = values.flatMap((value, at): Mark[] => {
    const middle = round(step * (at + 0.5));
    if (value !== null) {
      const of = level(value);
      byLevel.set(of, `${byLevel.get(of) ?? ''}M${middle},${STRIP}V${round(STRIP - of * 7)}`);
    }
    if (!told.has(at)) return [];
    const title = `${labels[at]}: ${figure(value)} ${words.unit}`;
    return [
      { tag: 'path', at: { class: 'hit', 'stroke-width': round(step), d: `M${middle},0V${STRIP}` }, title },
    ];
  });
  const cells = [...byLevel].map(
    ([of, d]): Mark => ({ tag: 'path', at: { class: `heat h${of}`, 'stroke-width': round(step * 0.85), d } }),
  );
  const height = STRIP + 20;
  const ends =
    labels.length === 0 ? [] : [below(0, labels[0] ?? '', 'start'), below(WIDTH, labels.at(-1) ?? '', 'end')];
  return {
    ...words,
    width: WIDTH,
    height,
    desc: describe(labels, [series], words.unit),
    marks: [...cells, ...ends.map((one) => ({ ...one, at: { ...one.at, y: height - 4 } })), ...hits],
    legend: [],
    ...tableOf(of, labels, [series]),
  };
}

const METER = { width: 240, height: 20 } as const;

/** How much of something is used. @param most null for no limit: nothing is full then */
export function meter({ used, most, ...words }: ChartWords & { used: number; most: number | null }): Chart {
  const { width, height } = METER;
  const part = most === null ? 0 : Math.min(1, most === 0 ? 1 : used / most);
  const isFull = part >= 1;
  const said = `${figure(used)} of ${most === null ? 'no limit' : figure(most)} ${words.unit}`;
  return {
    ...words,
    width,
    height,
    desc: said,
    marks: [
      { tag: 'rect', at: { class: 'track', x: 0.5, y: 4.5, width: width - 1, height: 11, rx: 3 } },
      {
        tag: 'rect',
        at: {
          class: isFull ? 'full' : 'fill',
          x: 0.5,
          y: 4.5,
          width: round((width - 1) * part),
          height: 11,
          rx: 3,
        },
        title: said,
      },
    ],
    legend: [],
    columns: ['Used', 'Most'],
    rows: [[figure(used), most === null ? 'No limit' : figure(most)]],
  };
}
