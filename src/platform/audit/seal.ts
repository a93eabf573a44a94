import type { Ctx } from '#kernel/context.ts';
import { keyringOf, newMasterKey, parseMasterKey } from '#kernel/crypto.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import type { Side, Sides } from './sides.ts';
import * as repo from './subjects/repository.ts';

/** Stands in a side for each value that is sealed, and names what is sealed of all of them. */
export const SEALED = '(sealed)';
/** What is shown of a person who was erased. */
export const ERASED = '(erased)';

const owner = (person: string): string => `audit:${person}`;

/** Seals and opens what rows tell of one person. */
export interface PersonKey {
  seal(text: string): string;
  open(sealed: string): string;
}

/** The keys of the persons whom rows are about, each made when it is first needed; null for one who was erased. */
export async function keysFor(
  ctx: Ctx,
  all: readonly Sides[],
): Promise<ReadonlyMap<string, PersonKey | null>> {
  const persons = all.flatMap(({ person, before, after }) =>
    person !== null && (holds(before) || holds(after)) ? [person] : [],
  );
  const keys = new Map<string, PersonKey | null>();
  // In one order, and before the head is held: two transactions must not wait for each other.
  for (const person of [...new Set(persons)].sort()) keys.set(person, await keyOrNew(ctx, person));
  return keys;
}

const holds = (side: Side | null): boolean => side !== null && Object.keys(side.personal).length > 0;

async function keyOrNew(ctx: Ctx, person: string): Promise<PersonKey | null> {
  const found = await repo.findKey(ctx, person);
  if (found !== undefined) return opened(ctx, person, found);
  await repo.insertKey(ctx, person, ctx.keyring.seal('secret', newMasterKey(), owner(person)));
  return opened(ctx, person, await repo.findKey(ctx, person));
}

/** The key of a person, for reading; null when there is none. */
export const keyOf = async (ctx: Ctx, person: string): Promise<PersonKey | null> =>
  opened(ctx, person, await repo.findKey(ctx, person));

/** Keys that were opened, by how they are stored: what the database has not any more is not found here either. */
const openedKeys = memoryKey('audit-keys', () => new Map<string, PersonKey>());
const MOST_OPENED = 1000;

function opened(ctx: Ctx, person: string, sealed: string | null | undefined): PersonKey | null {
  if (sealed === null || sealed === undefined) return null;
  const known = ctx.memory.of(openedKeys);
  const found = known.get(sealed);
  if (found) return found;
  const keyring = keyringOf(parseMasterKey(ctx.keyring.open('secret', sealed, owner(person))));
  const key: PersonKey = {
    seal: (text) => keyring.seal('audit', text, owner(person)),
    open: (text) => keyring.open('audit', text, owner(person)),
  };
  if (known.size >= MOST_OPENED) known.clear();
  known.set(sealed, key);
  return key;
}

/** The text of one side as it is stored. @param key of the person; null when it was erased */
export function written(side: Side | null, key: PersonKey | null): string | null {
  if (side === null) return null;
  const { open, personal } = side;
  if (!holds(side)) return JSON.stringify(open);
  const named = (text: string) => Object.fromEntries(Object.keys(personal).map((name) => [name, text]));
  if (key === null) return JSON.stringify({ ...open, ...named(ERASED) });
  return JSON.stringify({ ...open, ...named(SEALED), [SEALED]: key.seal(JSON.stringify(personal)) });
}

/** A stored side as people read it. @param key of the person; null when it was erased */
export function readable(
  side: Record<string, unknown> | null,
  key: PersonKey | null,
): Record<string, unknown> | null {
  if (side === null || !(SEALED in side)) return side;
  const { [SEALED]: sealed, ...open } = side;
  if (key !== null) return { ...open, ...(JSON.parse(key.open(String(sealed))) as object) };
  const shown = Object.entries(open).map(([name, value]) => [name, value === SEALED ? ERASED : value]);
  return Object.fromEntries(shown);
}
