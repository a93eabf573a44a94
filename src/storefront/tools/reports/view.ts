import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { GROUPS } from './daily/ranges.ts';
import { REPORTS, type ReportName } from './kinds/kinds.ts';
import type { Kind, Report, ReportColumn } from './kinds/report.ts';
import type { Reported } from './reports.ts';

const schemas: Readonly<Record<Kind, () => z.ZodType>> = {
  text: () => z.string(),
  day: () => z.string(),
  count: () => z.int(),
  money: () => z.int(),
  rate: () => z.int(),
};

function columnSchema({ kind, about, isNullable, isId }: ReportColumn): z.ZodType {
  const schema = schemas[kind]();
  const described = about === undefined ? schema : schema.describe(about);
  return isNullable || (isId && kind === 'money') ? described.nullable() : described;
}

const titled = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** A row of a report. */
const rowSchema = (name: string, { columns }: Report) =>
  z
    .object(Object.fromEntries(columns.map((one) => [one.name, columnSchema(one)])))
    .meta({ id: `${titled(name)}ReportRow` });

const made = new Map<ReportName, z.ZodObject>();

/** A report as the JSON answers it: made when it is first asked for, as most are not (decision 0082). */
export function reportSchema(name: ReportName): z.ZodObject {
  const known = made.get(name) ?? schemaOf(name);
  made.set(name, known);
  return known;
}

function schemaOf(name: ReportName): z.ZodObject {
  const figures = () => z.record(z.string(), z.int());
  const compared = z.object({ from: z.string(), to: z.string(), totals: figures() });
  const counting = z
    .object({ done: count(), total: count() })
    .describe(
      'How many orders are being recounted after a time zone change; the figures are incomplete until then',
    );
  return z
    .object({
      report: z.literal(name),
      from: z.string().describe('The first day'),
      to: z.string().describe('The last day, inclusive'),
      ...(hasGroup(name) && { group: z.enum(GROUPS) }),
      time_zone: z.string().describe('Time zone of the days'),
      currency: z.string().describe('Orders in other currencies are not included'),
      rows: z.array(rowSchema(name, REPORTS[name])),
      totals: figures().describe('Of all rows, including those beyond `limit`'),
      ...(hasSeries(name) && { series: z.array(z.record(z.string(), z.union([z.string(), z.int()]))) }),
      compared: compared.nullable().describe('The range to compare with'),
      counting: counting.nullable(),
    })
    .meta({ id: `${titled(name)}Report` });
}

function hasGroup(name: ReportName): boolean {
  return (REPORTS[name] as Report).hasGroup === true;
}
function hasSeries(name: ReportName): boolean {
  return name === 'customers' || name === 'inventory';
}

const figuresOf = (totals: Readonly<Record<string, unknown>>): Record<string, number> =>
  Object.fromEntries(Object.entries(totals).map(([name, value]) => [name, Number(value ?? 0)]));

/** What the JSON says of a report. */
export function reportView(reported: Reported): Record<string, unknown> {
  const { name, from, to, group, zone, currency, rows, totals, series, compared, counting } = reported;
  const known = name as ReportName;
  return {
    report: name,
    from,
    to,
    ...(hasGroup(known) && { group }),
    time_zone: zone,
    currency,
    rows,
    totals: figuresOf(totals),
    ...(hasSeries(known) && { series: series ?? [] }),
    compared: compared && { from: compared.from, to: compared.to, totals: figuresOf(compared.totals) },
    counting,
  };
}

/** The report of sales, as `appctl store report sales` prints it. */
export const SalesReportView: z.ZodObject = reportSchema('sales');
