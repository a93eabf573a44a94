import type { Ctx } from '#kernel/context.ts';
import { timezone } from '#storefront/contract/settings.ts';
import { deltaOf } from '../fold.ts';
import { type Fact, MEASURES, type MeasureName, type SumsOf } from '../measures.ts';
import type { ReportState } from '../record.ts';
import { findState, listChanges } from '../repository.ts';
import { type Asked, type Most, type Sums, sumsByKey, sumsByPeriod, sumsOf, sumsOfTop } from './queries.ts';
import { type DayRange, type Group, partsOf, periodOf } from './ranges.ts';

/** Changes that a reader adds to the tables itself; more wait for the job, which comes every few seconds. */
const MOST_CHANGES = 300;
const MOST_TRIES = 5;

/** The tables at one moment, with what has changed since they were written. */
export interface Book {
  readonly state: ReportState | null;
  /** What the tables lack. */
  readonly facts: readonly Fact[];
  /** More has changed than a reader adds. */
  readonly isBehind: boolean;
}

async function open(ctx: Ctx): Promise<Book> {
  const state = await findState(ctx);
  const changes = await listChanges(ctx, MOST_CHANGES + 1);
  const seen = changes.slice(0, MOST_CHANGES);
  const orderIds = [...new Set(seen.map(({ orderId }) => orderId))];
  // Before the job has run once nothing was counted: all there is are changes.
  const { facts } = await deltaOf(ctx, orderIds, state ?? { zone: ctx.settings.get(timezone), round: 0 });
  return { state, facts, isBehind: changes.length > MOST_CHANGES };
}

/**
 * Reads the tables, and what they lack of the last seconds, as if at one moment: what was read while somebody wrote the
 * tables is read again.
 */
export async function reading<T>(ctx: Ctx, read: (book: Book) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const book = await open(ctx);
    const answer = await read(book);
    const now = await findState(ctx);
    if (now?.version === book.state?.version || tries === MOST_TRIES) return answer;
  }
}

const isIn = (asked: Asked, measure: MeasureName, [of, day, currency, keys]: Fact): boolean =>
  of === measure &&
  currency === asked.currency &&
  day >= asked.from &&
  day <= asked.to &&
  (asked.source === undefined || keys[0] === asked.source);

function add<M extends MeasureName>(measure: M, row: SumsOf<M>, [, , , , sums]: Fact): void {
  const figures = row as Record<string, number>;
  for (const [at, name] of MEASURES[measure].sums.entries())
    figures[name] = (figures[name] ?? 0) + (sums[at] ?? 0);
}

const isSomething = (measure: MeasureName, row: object): boolean =>
  MEASURES[measure].sums.some((name) => (row as Record<string, number>)[name] !== 0);

/** Figures of all keys together. */
export async function total<M extends MeasureName>(
  ctx: Ctx,
  book: Book,
  measure: M,
  asked: Asked,
): Promise<SumsOf<M>> {
  const row = { ...(await sumsOf(ctx, measure, asked)) };
  for (const one of book.facts) if (isIn(asked, measure, one)) add(measure, row, one);
  return row;
}

/** Of which there may be tens of thousands: their rows are sorted only for a file that has all of them. */
const MANY: readonly MeasureName[] = ['products', 'customers'];
const MOST_SHOWN = 2000;

/** Figures of each key, the most first. */
export async function byKey<M extends MeasureName>(
  ctx: Ctx,
  book: Book,
  measure: M,
  asked: Asked,
  { by, limit }: Most<M>,
): Promise<Sums<M>[]> {
  const names: readonly string[] = MEASURES[measure].keys;
  const own = book.facts.filter((one) => isIn(asked, measure, one));
  const nameOf = (row: object): string =>
    names.map((name) => (row as Record<string, string>)[name]).join('\u0001');
  // A row that falls makes room for the next one, and one that rises may come from anywhere.
  const most = { by, limit: limit + own.length };
  const isTop = MANY.includes(measure) && limit <= MOST_SHOWN;
  const changed = own.map(([, , , [first = '']]) => first);
  const stored = isTop
    ? await sumsOfTop(ctx, measure, asked, most, changed)
    : await sumsByKey(ctx, measure, asked);
  const rows = new Map(stored.map((row) => [nameOf(row), row]));
  for (const one of own) {
    const keys = Object.fromEntries(names.map((name, at) => [name, one[3][at] ?? '']));
    const none = Object.fromEntries(MEASURES[measure].sums.map((name) => [name, 0]));
    const row = rows.get(nameOf(keys)) ?? ({ ...keys, ...none } as Sums<M>);
    add(measure, row, one);
    rows.set(nameOf(keys), row);
  }
  const figure = (row: Sums<M>): number => (row as Record<string, number>)[by] ?? 0;
  return [...rows.values()]
    .filter((row) => isSomething(measure, row))
    .sort((one, other) => figure(other) - figure(one) || (nameOf(one) < nameOf(other) ? -1 : 1))
    .slice(0, limit);
}

/** Figures of all keys together, by day, week or month; periods without any are left out. */
export async function byPeriod<M extends MeasureName>(
  ctx: Ctx,
  book: Book,
  measure: M,
  asked: Asked,
  group: Group,
): Promise<Map<string, SumsOf<M>>> {
  const rows = new Map<string, SumsOf<M>>();
  const into = (period: string, sums: readonly number[]): void => {
    const none = Object.fromEntries(MEASURES[measure].sums.map((name) => [name, 0])) as SumsOf<M>;
    const row = rows.get(period) ?? none;
    add(measure, row, [measure, '', '', [], sums]);
    rows.set(period, row);
  };
  const { before, months, after } =
    group === 'month' ? partsOf(asked) : { before: asked, months: null, after: null };
  const of = (grain: 'day' | 'month', range: DayRange | null) =>
    range ? sumsByPeriod(ctx, measure, grain, { ...asked, ...range }) : [];
  const stored = [...(await of('month', months)), ...(await of('day', before)), ...(await of('day', after))];
  for (const row of stored)
    into(
      periodOf(row.period, group),
      MEASURES[measure].sums.map((name) => (row as Record<string, unknown>)[name] as number),
    );
  for (const one of book.facts) if (isIn(asked, measure, one)) into(periodOf(one[1], group), one[4]);
  return rows;
}
