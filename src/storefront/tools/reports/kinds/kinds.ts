import { countries, products, promotions } from './goods.ts';
import { inventory } from './inventory.ts';
import { customers, payments, tax } from './money.ts';
import type { Report } from './report.ts';
import { sales } from './sales.ts';

/** The reports of the shop by their names, in the order in which they are shown. */
export const REPORTS = {
  sales,
  products,
  countries,
  promotions,
  tax,
  payments,
  customers,
  inventory,
} as const satisfies Readonly<Record<string, Report>>;

export type ReportName = keyof typeof REPORTS;
export const REPORT_NAMES = Object.keys(REPORTS) as readonly ReportName[];

/** A report by its name; undefined for what is none. */
export const reportOf = (name: string): Report | undefined =>
  Object.hasOwn(REPORTS, name) ? REPORTS[name as ReportName] : undefined;
