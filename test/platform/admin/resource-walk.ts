// Reads the lists and exports of a resource as callers do: what the tests of all resources ask.
import { parse } from 'csv-parse/sync';
import type { Ctx } from '#kernel/context.ts';
import type { Twin } from '#platform/admin/index.ts';
import { samples } from '../../contract/staff/index.ts';
import type { MadeKey, TestApp } from '../../support/app.ts';
import type { HttpReply, Sent } from '../../support/http-client.ts';
import { filled, type Made, type ResourceSample } from '../../support/resource-sample.ts';

export type Item = Record<string, unknown> & { id: string };
/** Resources with a list on the admin API, each with what it is there. */
export const listed = samples.flatMap((sample) => {
  const twin = sample.resource.spec.apis.find(({ surface }) => surface === 'license-admin');
  return twin && !twin.without?.includes('list') ? [[sample.resource.name, sample, twin] as const] : [];
});

type Query = Readonly<Record<string, string>>;

/** Some rows of a resource and who looks at them. */
export interface Place {
  readonly ctx: Ctx;
  readonly token: MadeKey;
  /** What the path of the list names. */
  readonly names: Made;
}

export interface Walk {
  readonly sample: ResourceSample;
  readonly twin: Twin<never>;
  /** Asks below the path of the list. */
  ask(place: Place, below: string, query?: Query, sent?: Sent): Promise<HttpReply>;
  /** Every item that a query leaves, page by page, and how many the list says there are; null where it does not. */
  everyItem(place: Place, query?: Query, limit?: number): Promise<{ items: Item[]; total: number | null }>;
  total(place: Place, query?: Query): Promise<number>;
}

export function walkOf(app: TestApp, sample: ResourceSample): Walk {
  const twin = sample.resource.spec.apis.find(({ surface }) => surface === 'license-admin');
  if (!twin) throw new Error(`${sample.resource.name} is not on the admin API`);
  const { paged = true } = twin;
  const ask: Walk['ask'] = ({ token, names }, below, query = {}, sent = {}) =>
    app.admin(`${filled(twin.path, names)}${below}?${new URLSearchParams(query)}`, token, sent);
  const right = async (place: Place, query: Query) => {
    const { status, body, text } = await ask(place, '', query);
    if (status !== 200) throw new Error(`${twin.path}?${new URLSearchParams(query)}: ${text}`);
    return body as unknown as Listed;
  };
  const { idField } = sample;
  // Its name is no part of what exports tell.
  const named = (item: Item): Item =>
    idField === undefined ? item : Object.defineProperty(item, 'id', { value: item[idField] });
  const everyItem: Walk['everyItem'] = async (place, query = {}, limit = 500) => {
    const items: Item[] = [];
    if (paged === 'cursor') {
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Listed = await right(place, {
          ...query,
          limit: `${limit}`,
          ...(cursor !== '' && { cursor }),
        });
        items.push(...page.items.map(named));
        cursor = page.nextCursor;
      }
      return { items, total: null };
    }
    if (!paged) return { items: (await right(place, query)).items.map(named), total: null };
    for (let page = 1; ; page += 1) {
      const found = await right(place, { ...query, limit: `${limit}`, page: `${page}` });
      items.push(...found.items.map(named));
      const { total, totalPages } = found.pagination;
      if (page >= totalPages) return { items, total };
    }
  };
  return {
    sample,
    twin,
    ask,
    everyItem,
    async total(place, query = {}) {
      if (paged !== true) return (await everyItem(place, query)).items.length;
      return (await right(place, { ...query, limit: '1' })).pagination.total;
    },
  };
}

interface Listed {
  items: Item[];
  pagination: { total: number; totalPages: number };
  nextCursor: string | null;
}

/** What a spreadsheet would run. */
const FORMULA = /^[=+\-@\t\r]/;

/** Records of a CSV export by the names in its header, with formulas as they were before they were escaped. */
export function csvItems(text: string): { records: Record<string, string>[]; formulas: string[] } {
  const [header = [], ...lines] = parse(text) as string[][];
  const formulas = lines.flat().filter((cell) => FORMULA.test(cell));
  const records = lines.map((cells) =>
    Object.fromEntries(cells.map((cell, at) => [header[at], unescaped(cell)])),
  );
  return { records, formulas };
}

const unescaped = (cell: string): string => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

/** An item as texts: what is missing as nothing, an object as JSON. */
export const asCells = (item: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      if (value === null || value === undefined) return [name, ''];
      return [name, typeof value === 'object' ? JSON.stringify(value) : String(value)];
    }),
  );

/** Numbers that follow from a seed, so that a set of filters that fails can be named. */
export function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

/** A place with n rows, how many there were before them, and the values of filters that the sample has for these rows. */
export type Places = (n: number) => Promise<{ place: Place; before: number; filters: Query }>;

/** Seeds a tenant for each number of rows; one place, more and more of them, for rows that are of no tenant. */
export function placesOf(app: TestApp, walk: Walk): Places {
  const { sample } = walk;
  const known = new Map<number, ReturnType<Places>>();
  let growing: { place: Place; before: number; rows: number } | undefined;
  return (n) => {
    const places = known.get(n) ?? (sample.everyTenant ? grown(n) : fresh(n));
    known.set(n, places);
    return places;
  };

  async function fresh(n: number) {
    const ctx = await app.otherTenant();
    const names = await seeded(ctx, n);
    const filters = { ...sample.filters };
    return { place: { ctx, names, token: await app.adminToken('owner', {}, ctx) }, before: 0, filters };
  }

  /** No rows need none written, unless the path of the list names what they would be in. */
  async function seeded(ctx: Ctx, n: number): Promise<Made> {
    if (n === 0 && !walk.twin.parent) return {};
    return ((await ctx.tx(async (ctx) => sample.seed?.(ctx, n))) ?? {}) as Made;
  }

  async function grown(n: number) {
    if (!growing) {
      const token = await app.adminToken('owner', { isInstanceWide: true });
      const place = { ctx: app.ctx, names: await seeded(app.ctx, 0), token };
      growing = { place, before: await walk.total(place), rows: 0 };
    }
    if (n > growing.rows) await seeded(app.ctx, n - growing.rows);
    growing.rows = Math.max(n, growing.rows);
    const before = growing.before + growing.rows - n;
    return { place: growing.place, before, filters: { ...sample.filters } };
  }
}

/** What a list is sorted by, as an item shows it; undefined where it does not. */
export const sortedBy = ({ sorts }: ResourceSample, word: string, item: Item): unknown =>
  sorts?.[word] ? sorts[word](item) : (item[word] ?? item[`${word}At`] ?? missingIn(item, word));

const missingIn = (item: Item, word: string): null | undefined =>
  word in item || `${word}At` in item ? null : undefined;

/** As both databases order: numbers by size, texts by their characters' codes. */
export const ascending = (one: unknown, other: unknown): number =>
  one === other ? 0 : (one as string) < (other as string) ? -1 : 1;

/** Whether an item is one that a filter leaves, as far as it shows what is filtered. */
export function fits(walk: Walk, parameter: string, value: string, item: Item): boolean {
  const filters = Object.entries(walk.sample.resource.spec.rows.filters);
  for (const [name, { kind }] of filters) {
    const shown = item[name] ?? item[`${name}At`];
    if (shown === undefined || shown === null) continue;
    const held = (Array.isArray(shown) ? shown : [shown]).map(String);
    if (parameter === name) {
      const values = value.split(',');
      // A lookup takes other names than ids, and a filter of a thing's parts shows no value of its own.
      const isShown =
        kind === 'lookup'
          ? values.every((one) => /^[a-z]{3}_/.test(one))
          : kind === 'choice' || typeof shown === 'boolean';
      return !isShown || values.some((one) => held.includes(one));
    }
    if (parameter === `${name}From`) return String(shown) >= new Date(value).toISOString();
    if (parameter === `${name}To`) return String(shown) < new Date(value).toISOString();
    if (parameter === `${name}Min`) return Number(shown) >= Number(value);
    if (parameter === `${name}Max`) return Number(shown) <= Number(value);
  }
  return true;
}

/**
 * A value of each parameter of the list: that of the sample, else one that some of the items show and not all.
 *
 * @param known those of the sample for the rows that were seeded last, unless others are given
 * @throws Error for a parameter that has none
 */
export function filtersOf(
  { sample, twin }: Walk,
  items: readonly Item[],
  known: Query = sample.filters,
): Record<string, string> {
  const { rows } = sample.resource.spec;
  const parameters = [...Object.keys(rows.parameters), ...(rows.search ? ['q'] : [])];
  const values = parameters
    .filter((name) => name !== twin.parent?.filter)
    .map((name) => [name, known[name] ?? shownOf(name, items)] as const);
  const without = values.flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (without.length > 0)
    throw new Error(`the sample of ${sample.resource.name} has no value for ${without}`);
  return Object.fromEntries(values) as Record<string, string>;
}

/** From the middle of what is shown, so that a range leaves rows on both of its sides. */
function shownOf(parameter: string, items: readonly Item[]): string | undefined {
  const name = parameter.replace(/(From|To|Min|Max)$/, '');
  const shown = items.map((item) => item[parameter] ?? item[name] ?? item[`${name}At`]);
  const values = [
    ...new Set(shown.filter((value) => ['string', 'number', 'boolean'].includes(typeof value))),
  ];
  const isShared = values.length === 1 && shown.every((value) => value === values[0]);
  const middle = values.toSorted(ascending)[Math.floor(values.length / 2)];
  return isShared || middle === undefined ? undefined : String(middle);
}
