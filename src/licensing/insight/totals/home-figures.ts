import { scopeOf } from '#kernel/actor.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { figureText } from '#kernel/figure-words.ts';
import { renewedPercentOfMonth } from '../reports/index.ts';
import type { Counted } from '../requests/index.ts';
import { type DayRange, daysOf } from '../statistics/index.ts';
import { callsBetween } from './durations.ts';
import { overview } from './overview.ts';
import { countCreated, listDays } from './queries.ts';
import type { Day, Overview } from './view.ts';

/** How many days the figures of the first page are about, today among them. */
export const PERIOD_DAYS = ['1', '7', '30', '90', '365'] as const;

/** Figures of some days and of as many before them. */
export interface HomeFigures {
  readonly overview: Overview;
  readonly days: number;
  /** Those of the charts, and as many before them; the last is today, in UTC. */
  readonly shown: readonly Day[];
  readonly before: readonly Day[];
  /** How long calls took on the days of the charts; null for whoever sees some products alone: calls are of all of them. */
  readonly calls: readonly Counted[] | null;
  readonly created: { readonly now: number; readonly before: number };
  /** Of the terms that end this month: those that are renewed or lapsed, in percent. */
  readonly renewedPercent: number | null;
}

/** @param charted how many days the charts show: at least `days` */
export async function homeFigures(ctx: Ctx, days: number, charted: number): Promise<HomeFigures> {
  const both: DayRange = daysOf(ctx, {}, 2 * charted);
  const all = await listDays(ctx, both);
  const since = startOf(ctx, days - 1);
  const created = await countCreated(ctx, since);
  return {
    overview: await overview(ctx, {}),
    days,
    shown: all.slice(-charted),
    before: all.slice(-2 * charted, -charted),
    calls: scopeOf(ctx.actor, 'license_product') ? null : await callsBetween(ctx, daysOf(ctx, {}, charted)),
    created: { now: created, before: (await countCreated(ctx, startOf(ctx, 2 * days - 1))) - created },
    renewedPercent: await renewedPercentOfMonth(ctx),
  };
}

/** When a day began, in UTC. @param ago days before today */
const startOf = (ctx: Ctx, ago: number): string =>
  `${addSeconds(ctx.now(), -ago * SECONDS_PER_DAY).slice(0, 10)}T00:00:00.000Z`;

/** A figure with what it was before. */
export interface Tile {
  readonly label: string;
  readonly value: string;
  /** `+12 % against the 30 days before`; null for what is only known of now. */
  readonly change: string | null;
  readonly href: string;
}

/** The figures of the first page, each with the list that it counts. */
export function tilesOf({ overview, days, shown, before, created, renewedPercent }: HomeFigures): Tile[] {
  const sum = (of: readonly Day[], name: 'validations' | 'denials') =>
    of.slice(-days).reduce((total, day) => total + day[name], 0);
  // Days before the period: for one day that is yesterday, though the charts show a week.
  const all = [...before, ...shown];
  const earlier = all.slice(-2 * days, -days);
  const { licenses, activeMachines, seats } = overview;
  const now = (label: string, value: string, page: string): Tile => ({
    label,
    value,
    change: null,
    href: `/admin/${page}`,
  });
  const against = (label: string, count: number, then: number, page: string): Tile => ({
    ...now(label, figureText(count), page),
    change: changeOf(count, then, days),
  });
  const counted = (label: string, name: 'validations' | 'denials', page: string): Tile =>
    against(label, sum(shown, name), sum(earlier, name), page);
  return [
    now('Active licenses', figureText(licenses.byStatus.ACTIVE), 'licenses?status=ACTIVE'),
    against('New licenses', created.now, created.before, 'licenses'),
    now('Activated machines', figureText(activeMachines), 'machines'),
    now('Floating seats in use', `${figureText(seats.used)} of ${figureText(seats.limit)}`, 'seats'),
    counted('Validations', 'validations', 'requests'),
    counted('Refused requests', 'denials', 'requests?failed=true'),
    now(
      'Renewed this month',
      renewedPercent === null ? '–' : `${figureText(renewedPercent)} %`,
      'reports/renewal-cohorts',
    ),
  ];
}

function changeOf(now: number, then: number, days: number): string {
  const against = days === 1 ? 'yesterday' : `the ${days} days before`;
  if (then === 0) return now === 0 ? `none, as ${against}` : `none ${against}`;
  const percent = Math.round(((now - then) / then) * 100);
  const sign = percent > 0 ? '+' : '';
  return `${sign}${figureText(percent)} % against ${against}`;
}
