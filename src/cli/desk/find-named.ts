import type { Endpoint } from '#kernel/http/endpoint.ts';
import type { Cli } from '../frame/context.ts';
import { type CliError, usageError } from '../frame/errors.ts';
import { shellWord } from '../printed-text.ts';
import { type Desk, isBeginning, type Query } from './desk.ts';

/** An item of a list, whatever it is. */
type Item = Readonly<Record<string, unknown>> & { readonly id: string };

/** What somebody typed, and the list that has what it means. */
interface Meant {
  /** Path of the list. */
  readonly collection: string;
  /** What lists it; undefined where nothing does. */
  readonly list: Endpoint | undefined;
  readonly text: string;
}

/** So many are looked through, where a list has no search. */
const MOST = { limit: 500, per_page: 100 } as const;
const MOST_SHOWN = 10;

/**
 * The id of what a text means; the text itself where it means nothing that there is, so that whoever is asked for it
 * says so.
 *
 * @throws usage error (2) that lists the candidates, where it means several
 */
export async function idOf(cli: Cli, desk: Desk, meant: Meant): Promise<string> {
  const { text, collection, list } = meant;
  if (list === undefined) return text;
  const found = isBeginning(text)
    ? await beginningWith(desk, meant)
    : ((await callers[collection]?.(desk, meant)) ?? []);
  const [only, ...others] = found;
  if (only === undefined) return text;
  if (others.length > 0) throw ambiguous(text, found);
  if (collection === 'licenses') noteReplaced(cli, text, only);
  return only.id;
}

/** Ids are written in capitals; who reads one aloud types small letters. */
async function beginningWith(desk: Desk, meant: Meant): Promise<Item[]> {
  const text = meant.text.slice(0, 4) + meant.text.slice(4).toUpperCase();
  const { items, isWhole } = await listed(desk, meant, { q: text });
  const found = items.filter(({ id }) => id.startsWith(text));
  // Another one that begins so may be among those that were not read.
  if (isWhole || found.length > 1) return found;
  throw usageError(`${shellWord(meant.text)} is looked for among too many`, 'give the whole id');
}

/** What else things are called, by the lists that they are in. */
const callers: Readonly<Record<string, (desk: Desk, meant: Meant) => Promise<Item[]>>> = {
  async licenses(desk, meant) {
    const text = meant.text.trim();
    // Whole names only: what merely holds the text is another customer's license, and it may be about to end.
    const asked: Query[] = text.includes('@') ? [{ email: text }] : [{ orderId: text }];
    if (KEY_PREFIX.test(text)) asked.push({ keyPrefix: text });
    const found = new Map<string, Item>();
    for (const query of asked)
      for (const item of (await listed(desk, meant, query)).items) found.set(item.id, item);
    return [...found.values()];
  },
  async releases(desk, meant) {
    const [, product, version] = /^([^@]+)@(.+)$/.exec(meant.text) ?? [];
    if (product === undefined || version === undefined) return [];
    const { items } = await listed(desk, meant, { productId: product, q: version });
    return items.filter((item) => item.version === version);
  },
};

const KEY_PREFIX = /^[A-Za-z0-9]{2,10}-[A-Za-z0-9]{4}$/;

interface Found {
  readonly id: string;
  readonly keyPrefix?: unknown;
  readonly orderId?: unknown;
}

/** Tells that the key somebody has is not the one that the license has now. @param found by its names alone */
function noteReplaced(cli: Cli, text: string, { id, keyPrefix, orderId }: Found): void {
  const [old, current] = [text.trim().toUpperCase(), String(keyPrefix)];
  if (KEY_PREFIX.test(old) && old !== current && orderId !== text.trim())
    cli.note(replacedWords(old, { id, keyPrefix: current }));
}

/** As noteReplaced, for a license that a search has found: the text may stand in an address or a name. */
export async function noteReplacedIfKey(cli: Cli, desk: Desk, text: string, found: Found): Promise<void> {
  if (!KEY_PREFIX.test(text)) return;
  const held = itemsOf(await desk.get('licenses', { keyPrefix: text, limit: MOST_SHOWN }));
  if (held.some(({ id }) => id === found.id)) noteReplaced(cli, text, found);
}

/** What somebody reads who has the replaced key of a license. */
export const replacedWords = (old: string, { id, keyPrefix }: { id: string; keyPrefix: string }): string =>
  `the key ${old}… was replaced: license ${id} now has the key ${keyPrefix}…`;

/** @returns `isWhole`: whether these are all; a list without a search may have more */
async function listed(
  desk: Desk,
  { collection, list }: Meant,
  asked: Query,
): Promise<{ items: Item[]; isWhole: boolean }> {
  const names = Object.keys((list?.query as { shape?: object } | undefined)?.shape ?? {});
  const known = Object.entries(asked).filter(([name]) => names.includes(name));
  const most = Object.entries(MOST).filter(([name]) => names.includes(name));
  const query: Query = Object.fromEntries([...known, ...most]);
  const found = itemsOf(await desk.get(collection, query));
  const isTrashed = found.length === 0 && names.includes('deleted');
  // A license in the trash keeps its names.
  const items = isTrashed ? itemsOf(await desk.get(collection, { ...query, deleted: 'true' })) : found;
  return { items, isWhole: items.length < Math.min(...most.map(([, number]) => number)) };
}

/** The rows of a list, as either API answers it. */
function itemsOf(answer: unknown): Item[] {
  const { items, data } = answer as { items?: unknown; data?: unknown };
  const rows = items ?? data;
  return Array.isArray(rows) ? rows : [];
}

/** Fields that tell one thing from another, the most telling first; so many are shown. */
const TELLING = [
  'keyPrefix',
  'product',
  'version',
  'platform',
  'arch',
  'slug',
  'email',
  'customerEmail',
  'url',
];
const WORDS = ['name', 'title', 'label', 'status', 'state'];
const MOST_WORDS = 3;

function ambiguous(text: string, found: readonly Item[]): CliError {
  const lines = found.slice(0, MOST_SHOWN).map((item) => {
    const told = [...TELLING, ...WORDS].map((name) => item[name]);
    const words = told.filter((one) => typeof one === 'string' && one !== '' && !/^[a-z]{3}_/.test(one));
    return [item.id, ...words.slice(0, MOST_WORDS)].join('  ');
  });
  const more = found.length > MOST_SHOWN ? [`and ${found.length - MOST_SHOWN} more`] : [];
  const message = `${shellWord(text)} matches ${found.length} things:`;
  return usageError([message, ...lines, ...more].join('\n'), 'use the id of one of them', {
    candidates: found.map(({ id }) => id),
  });
}
