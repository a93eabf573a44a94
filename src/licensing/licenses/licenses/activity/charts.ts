import { type Chart, lineChart } from '#platform/charts/index.ts';
import type { LicenseDay, Span } from './queries.ts';

interface Figures {
  readonly days: readonly string[];
  readonly counted: readonly LicenseDay[];
  readonly spans: readonly Span[];
  /** Machines that the license allows. */
  readonly most: number;
  /** ISO 8601 UTC */
  readonly now: string;
}

/** The course of a license: what was asked of it, and its machines beside those that it allows. */
export function activityCharts({ days, counted, spans, most, now }: Figures): readonly Chart[] {
  const byDay = new Map(counted.map((one) => [one.day, one]));
  // Those of today are written when the day is over.
  const today = now.slice(0, 10);
  const course = (name: 'validations' | 'refused') =>
    days.map((day) => byDay.get(day)?.[name] ?? (day === today ? null : 0));
  return [
    lineChart({
      id: 'chart-validations',
      title: 'Requests about this license',
      unit: 'per day',
      days,
      series: [
        { label: 'Validations', values: course('validations') },
        { label: 'Refused', values: course('refused') },
      ],
    }),
    lineChart({
      id: 'chart-machines',
      title: 'Machines',
      unit: 'at the end of the day',
      days,
      series: [
        { label: 'Activated', values: days.map((day) => liveAt(spans, endOf(day, now))) },
        { label: 'Allowed', values: days.map(() => most) },
      ],
    }),
  ];
}

const endOf = (day: string, now: string): string => {
  const end = `${day}T23:59:59.999Z`;
  return end < now ? end : now;
};

const liveAt = (spans: readonly Span[], at: string): number =>
  spans.filter(({ from, until }) => from <= at && (until === null || until > at)).length;
