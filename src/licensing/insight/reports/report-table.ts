import type { z } from 'zod';
import { figureText } from '#kernel/figure-words.ts';
import type { ReportAnswer, ReportName } from './report-views.ts';

type Answer = z.output<typeof ReportAnswer>;
type Row = Readonly<Record<string, unknown>>;

/** What each report is called and measures. */
export const titles: Readonly<Record<ReportName, { readonly title: string; readonly about: string }>> = {
  'renewal-cohorts': {
    title: 'Renewal cohorts',
    about:
      'How many of the license terms that ended in each month were renewed. Revoked licenses do not count.',
  },
  churn: {
    title: 'Churn',
    about: 'Licenses at the start of each month, and how many expired or were revoked that month.',
  },
  'version-adoption': {
    title: 'Version adoption',
    about: 'Activated machines that were seen in the range, by the version that the application reported.',
  },
  'denied-seats': {
    title: 'Denied seats',
    about: 'Licenses with the most machines refused for lack of a seat. Refusals are kept for a month.',
  },
  'webhook-reliability': {
    title: 'Webhook reliability',
    about: 'Deliveries in the range by webhook, and how many arrived.',
  },
};

/** A column: its head, what it shows, and the page that it leads to. */
interface Shown {
  readonly head: string;
  readonly of: string;
  readonly isNumber?: true;
  readonly unit?: string;
  readonly link?: (row: Row, zoom: Zoom) => string | null;
}

/** The address of the same report about a month: `2026-03`. */
export type Zoom = (month: string) => string;

const number = (head: string, of: string, unit?: string): Shown => ({
  head,
  of,
  isNumber: true,
  ...(unit !== undefined && { unit }),
});
const to = (page: string, name: string) => (row: Row) =>
  typeof row[name] === 'string' ? `/admin/${page}/${encodeURIComponent(row[name])}` : null;

const month: Shown = {
  head: 'Month (UTC)',
  of: 'month',
  link: ({ month }, zoom) => (typeof month === 'string' ? zoom(month) : null),
};

const columns: Readonly<Record<ReportName, readonly Shown[]>> = {
  'renewal-cohorts': [
    month,
    number('Ended', 'due'),
    number('Renewed', 'renewed'),
    number('Lapsed', 'lapsed'),
    number('Still running', 'open'),
    number('Renewed', 'renewedPercent', '%'),
  ],
  churn: [
    month,
    number('At its start', 'atStart'),
    number('New', 'created'),
    number('Expired', 'expired'),
    number('Revoked', 'revoked'),
    number('Churn', 'churnPercent', '%'),
  ],
  'version-adoption': [
    { head: 'Product', of: 'productSlug', link: to('products', 'productId') },
    { head: 'Version', of: 'version' },
    number('Machines', 'machines'),
    number('Share', 'sharePercent', '%'),
  ],
  'denied-seats': [
    { head: 'License', of: 'keyPrefix', link: to('licenses', 'licenseId') },
    { head: 'Customer', of: 'customerEmail', link: to('customers', 'customerId') },
    { head: 'Product', of: 'productSlug', link: to('products', 'productId') },
    number('Seats', 'seatsTotal'),
    number('Refused', 'denied'),
    number('Machines', 'distinctMachines'),
    number('Days', 'days'),
    { head: 'Last (UTC)', of: 'lastDeniedAt' },
  ],
  'webhook-reliability': [
    { head: 'Webhook', of: 'name', link: to('webhooks', 'webhookId') },
    { head: 'URL', of: 'url' },
    number('Due', 'sent'),
    number('Delivered', 'delivered'),
    number('Failed', 'failed'),
    number('Waiting', 'pending'),
    number('Attempts', 'attempts'),
    number('Delivered', 'deliveredPercent', '%'),
  ],
};

/** The rows of a report as its page shows them; all of them are in the file. */
export function reportTable({ name, rows }: Answer, zoom: Zoom) {
  const shown = columns[name];
  return {
    heads: shown.map(({ head, isNumber, unit }) => ({
      text: unit === undefined ? head : `${head} (${unit})`,
      isNumber: isNumber === true,
    })),
    rows: (rows as readonly Row[]).slice(0, MOST_ROWS).map((row) =>
      shown.map(({ of, link, isNumber }) => ({
        text: textOf(row[of]),
        href: link?.(row, zoom) ?? null,
        isNumber: isNumber === true,
      })),
    ),
    total: rows.length,
  };
}

const MOST_ROWS = 200;

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'number' ? figureText(value) : String(value);
}
