import type { z } from 'zod';
import { barChart, type Chart } from '#platform/charts/index.ts';
import type { ReportAnswer, ReportName } from './report-views.ts';

type Answer = z.output<typeof ReportAnswer>;
type Row = Readonly<Record<string, unknown>>;

/** What a chart of a report shows: a bar for each row, made of these columns. */
interface Drawn {
  readonly title: string;
  readonly unit: string;
  readonly of: string;
  readonly label: (row: Row) => string;
  /** Labels by column; those of one bar are added up. */
  readonly parts: Readonly<Record<string, string>>;
}

const nameOf = (value: unknown, other: string): string => (typeof value === 'string' ? value : other);

const drawn: Readonly<Record<ReportName, Drawn>> = {
  'renewal-cohorts': {
    title: 'Terms by the month they ended',
    unit: 'terms',
    of: 'Month (UTC)',
    label: ({ month }) => nameOf(month, ''),
    parts: { renewed: 'Renewed', lapsed: 'Lapsed', open: 'Still running' },
  },
  churn: {
    title: 'Licenses lost by month',
    unit: 'licenses',
    of: 'Month (UTC)',
    label: ({ month }) => nameOf(month, ''),
    parts: { expired: 'Expired', revoked: 'Revoked' },
  },
  'version-adoption': {
    title: 'Machines by version',
    unit: 'machines',
    of: 'Version',
    label: ({ productSlug, version }) => `${nameOf(productSlug, '')} ${nameOf(version, 'none')}`.trim(),
    parts: { machines: 'Machines' },
  },
  'denied-seats': {
    title: 'Refusals by license',
    unit: 'refused requests',
    of: 'License',
    label: ({ keyPrefix, customerEmail }) => nameOf(keyPrefix, nameOf(customerEmail, 'several')),
    parts: { denied: 'Refused' },
  },
  'webhook-reliability': {
    title: 'Deliveries by webhook',
    unit: 'deliveries',
    of: 'Webhook',
    label: ({ name }) => nameOf(name, ''),
    parts: { delivered: 'Delivered', failed: 'Failed', pending: 'Waiting' },
  },
};

/** What more rows would not tell in a drawing; they are in the table. */
const MOST_BARS = 24;

/** The chart of a report; null where there is nothing to draw. */
export function chartOf({ name, rows }: Answer): Chart | null {
  const { parts, label, ...words } = drawn[name];
  const shown = (rows as readonly Row[]).slice(0, MOST_BARS);
  if (shown.length === 0) return null;
  return barChart({
    id: `chart-${name}`,
    ...words,
    labels: shown.map(label),
    series: Object.entries(parts).map(([column, text]) => ({
      label: text,
      values: shown.map((row) => Number(row[column] ?? 0)),
    })),
  });
}
