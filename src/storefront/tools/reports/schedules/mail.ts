import type { Ctx } from '#kernel/context.ts';
import { defineMail, escapeHtml, isMailSent, queueMail } from '#platform/mail/index.ts';
import { readersOf } from '#platform/staff-mail/index.ts';
import { timezone } from '#storefront/contract/settings.ts';
import { REPORTS, reportOf } from '../kinds/kinds.ts';
import type { Report } from '../kinds/report.ts';
import { cellText, changeWords } from '../pages/table.ts';
import { figureOf, type Reported, report } from '../reports.ts';
import { daysBefore } from './due.ts';
import type { Schedule } from './record.ts';

/** A report of the last day, week or month: what it comes to, and where to see all of it. */
export const reportMail = defineMail({
  key: 'admin_report',
  placeholders: ['report', 'days', 'figures_html', 'url', 'csv_url'],
  sample: {
    report: 'Sales',
    days: '2026-03-01 to 2026-03-31',
    figures_html: '<p>Orders: 12 (+20 %)</p><p>Net: $480.00 (no change)</p>',
    url: 'https://shop.example/store/reports/sales?from=2026-03-01&to=2026-03-31',
    csv_url:
      'https://shop.example/api/store/reports/sales/export.csv?from=2026-03-01&to=2026-03-31&group=day',
  },
  isForStaff: true,
});

/** Members of staff who may be sent reports: who may see them, and did not choose to get none by email. */
export const reportReaders = (ctx: Ctx): ReturnType<typeof readersOf> =>
  readersOf(ctx, { key: reportMail.key, needs: 'reports:read' });

/** Emails that are ready to be sent. */
export interface Letters {
  readonly to: Awaited<ReturnType<typeof readersOf>>;
  readonly values: Readonly<Record<(typeof reportMail.placeholders)[number], string>>;
}

/**
 * The emails of a schedule at a moment. Who may no longer see reports gets none.
 *
 * @returns null where no email is sent: nobody is left who may see it, or the shop sends none
 */
export async function lettersOf(ctx: Ctx, schedule: Schedule): Promise<Letters | null> {
  if (!(await isMailSent(ctx))) return null;
  const to = (await reportReaders(ctx)).filter(({ id }) => schedule.recipients.includes(id));
  if (to.length === 0) return null;
  const { from, to: last } = daysBefore(schedule.every, ctx.now(), ctx.settings.get(timezone));
  const reported = await report(ctx, schedule.report, {
    from,
    to: last,
    limit: 1,
    ...(schedule.compare !== null && { compare: schedule.compare }),
  });
  return { to, values: valuesOf(ctx, schedule, reported) };
}

function valuesOf(ctx: Ctx, { report: name, compare }: Schedule, reported: Reported): Letters['values'] {
  const { from, to, currency, totals, compared } = reported;
  const known = reportOf(name) as Report;
  const isMoment = known.of === 'moment';
  const asked = new URLSearchParams(isMoment ? { to } : { from, to, ...(compare !== null && { compare }) });
  const file = new URLSearchParams(isMoment ? { as_of: to } : { from, to });
  const lines = known.columns.flatMap((column) => {
    const { name: key, head } = column;
    if (column.isId || !(key in totals)) return [];
    const change = compared ? ` (${changeWords(figureOf(totals, key), figureOf(compared.totals, key))})` : '';
    return [`<p>${escapeHtml(`${head}: ${cellText(column, totals[key], currency)}${change}`)}</p>`];
  });
  return {
    report: known.title,
    days: from === to || isMoment ? to : `${from} to ${to}`,
    figures_html: lines.join(''),
    url: `${ctx.baseUrl}/store/reports/${name}?${asked}`,
    csv_url: `${ctx.baseUrl}/api/store/reports/${name}/export.csv?${file}`,
  };
}

/** Writes the emails, in a transaction. @param dedupe what is written once, by whoever writes it */
export async function queueLetters(
  ctx: Ctx,
  { id }: Schedule,
  { to, values }: Letters,
  dedupe: string,
): Promise<number> {
  for (const { id: reader, ...recipient } of to)
    await queueMail(ctx, reportMail, {
      to: recipient,
      locale: 'en',
      values,
      dedupe: `${id}:${dedupe}:${reader}`,
      related: { type: 'report_schedule', id },
    });
  return to.length;
}

/** How a report is called. */
export const titleOf = (name: string): string =>
  Object.hasOwn(REPORTS, name) ? (reportOf(name) as Report).title : name;
