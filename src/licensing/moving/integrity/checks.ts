import { type Check, type Finding, fail, ok, onSchema, warn } from '#kernel/check.ts';
import type { Ctx } from '#kernel/context.ts';
import { canonicalKey } from '#licensing/catalog/key-formats/index.ts';
import { keyDigest } from '#licensing/licenses/standing/index.ts';
import * as inbox from '#licensing/purchases/inbox/index.ts';
import * as queries from './queries.ts';

const KEYS_PER_QUERY = 1000;
const SHOWN = 5;

/** The invariants of licensing section 8.8 whose subject exists. */
export const integrityChecks: readonly Check[] = [
  {
    id: 'license.invariants',
    title: 'stored licenses keep their rules',
    isLong: 'daily',
    run: onSchema(checkInvariants),
  },
  {
    id: 'keys.active-per-product',
    title: 'every product with signing keys has an active one',
    launch: 'Create the signing key of each product',
    run: onSchema(async (ctx) => {
      const slugs = await queries.listProductsWithoutActiveKey(ctx);
      if (slugs.length === 0) return ok('every product with signing keys has an active one');
      const hint = `appctl keys generate --product ${slugs[0]}`;
      return warn(`no active signing key: ${named(slugs)}; their new releases cannot be verified`, hint);
    }),
  },
  {
    id: 'keys.decryptable',
    title: 'keys that the server holds can be opened',
    isLong: 'hourly',
    run: onSchema(async (ctx) => {
      const held = await queries.listHeldSigningKeys(ctx);
      const closed = held.filter(({ id, sealed }) => !opens(ctx, 'secret', sealed, id));
      if (closed.length === 0) return ok(`${held.length} server-held signing keys open with the master key`);
      const ids = closed.map(({ keyId }) => keyId);
      return fail(`signing keys that the master key does not open: ${named(ids)}`, RESTORE);
    }),
  },
];

const RESTORE = 'restore the master key file of this database, or restore a backup';

async function checkInvariants(ctx: Ctx): Promise<Finding> {
  const problems = [
    ...(await overbooked(ctx)),
    ...about('one machine is active twice on', await queries.listDoubleMachines(ctx)),
    ...about('the usage counter is not the sum of its records on', await queries.listWrongCounters(ctx)),
    ...about('not exactly one current key on', await queries.listWithoutOneKey(ctx)),
    ...(await unreadableKeys(ctx)),
    ...about('machines are active on revoked or deleted', await queries.listEndedButLive(ctx)),
    ...about('not linked to exactly one purchase', await inbox.listUnclaimed(ctx)),
  ];
  if (problems.length === 0) return ok('seats, usage, keys, purchases and ended licenses are consistent');
  return fail(problems.join('; '), 'restore a backup, and report this bug');
}

/** Invariant 1: a limit may have been lowered below the seats that were taken before (D61). */
async function overbooked(ctx: Ctx): Promise<string[]> {
  const found = await queries.listOverbooked(ctx);
  const guilty: string[] = [];
  for (const { id, used, since } of found) {
    if (used > (await queries.highestLimitSince(ctx, id, since))) guilty.push(id);
  }
  return about('more active activations than allowed on', guilty);
}

/** Invariant 3, second half: every digest is that of the key beside it. */
async function unreadableKeys(ctx: Ctx): Promise<string[]> {
  const wrong: string[] = [];
  for (let after = ''; ; ) {
    const keys = await queries.listKeysAfter(ctx, after, KEYS_PER_QUERY);
    for (const key of keys) if (!matches(ctx, key)) wrong.push(key.licenseId);
    after = keys.at(-1)?.id ?? '';
    if (keys.length < KEYS_PER_QUERY)
      return about('the stored key does not open or match its digest on', wrong);
  }
}

function matches(ctx: Ctx, { sealed, licenseId, digest }: queries.StoredKey): boolean {
  try {
    return keyDigest(ctx, canonicalKey(ctx.keyring.open('license-key', sealed, licenseId))) === digest;
  } catch {
    return false;
  }
}

function opens(ctx: Ctx, use: 'secret', sealed: string, owner: string): boolean {
  try {
    ctx.keyring.open(use, sealed, owner);
    return true;
  } catch {
    return false;
  }
}

const about = (what: string, ids: readonly string[]): string[] =>
  ids.length === 0 ? [] : [`${what} ${named(ids)}`];

const named = (ids: readonly string[]): string =>
  ids.length <= SHOWN ? ids.join(', ') : `${ids.slice(0, SHOWN).join(', ')} and ${ids.length - SHOWN} more`;
