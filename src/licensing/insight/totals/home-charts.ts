import { type Chart, heatStrip, lineChart } from '#platform/charts/index.ts';
import type { HomeFigures } from './home-figures.ts';
import type { Day } from './view.ts';

/** The course of the figures of the first page, from the totals of each day. */
export function dailyCharts({ shown, before }: Pick<HomeFigures, 'shown' | 'before'>): readonly Chart[] {
  const days = shown.map(({ day }) => day);
  const course = (name: 'validations' | 'denials' | 'heartbeats', title: string, unit: string): Chart =>
    lineChart({
      id: `chart-${name}`,
      title,
      unit,
      days,
      series: [{ label: title, values: shown.map((day) => day[name]) }],
      previous: before.map((day) => day[name]),
    });
  return [
    course('validations', 'Validations', 'requests per day'),
    course('denials', 'Refused requests', 'requests per day'),
    course('heartbeats', 'Heartbeats', 'requests per day'),
    heatStrip({
      id: 'chart-rate',
      title: 'Refused, of all requests about licenses',
      unit: '%',
      labels: days,
      series: { label: 'Refused (%)', values: shown.map(refusedPercent) },
    }),
  ];
}

const refusedPercent = ({ validations, denials, heartbeats }: Day): number | null => {
  const all = validations + denials + heartbeats;
  return all === 0 ? null : Math.round((denials / all) * 1000) / 10;
};
