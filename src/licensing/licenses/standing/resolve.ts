import type { Ctx } from '#kernel/context.ts';
import { alternativeKey, canonicalKey, keyShape } from '#licensing/catalog/key-formats/index.ts';
import type { Facts, RequestFacts } from '../decision/index.ts';
import { noteUnknownKey } from './dead-keys.ts';
import { findStanding, findUpdateStanding, type Named, type UpdateStanding } from './repository.ts';
import type { Standing } from './standing.ts';

/** Lookup digest of a key in its canonical spelling (M11). */
export const keyDigest = (ctx: Ctx, canonical: string): string => ctx.keyring.digest('lookup', canonical);

/** What a typed key leads to. */
export interface Resolved {
  malformed: boolean;
  standing: Standing | null;
}

/**
 * Finds the license of a typed key: its canonical spelling, then once more with letters read as the digits that
 * people take them for (D11, D12).
 *
 * @param machineId the machine whose activation is asked for; empty for none
 */
export async function resolveKey(ctx: Ctx, typed: string, machineId: string, now: string): Promise<Resolved> {
  const names = namesOf(ctx, typed);
  for (const named of names) {
    const standing = await findStanding(ctx, named, machineId, now);
    if (standing) return { malformed: false, standing };
  }
  await noteUnknownKey(ctx, names, machineId);
  return { malformed: names.length === 0, standing: null };
}

/**
 * As `resolveKey`, for a caller whose tenant nobody knows but the key (D100). Nothing else opens these requests, so a
 * key that nobody knows is left in the trail: its address is judged by the number of keys it tries (D19d). Behind an
 * API key the address may be a whole carrier, and its unknown license keys are no guesses.
 */
export async function resolveUpdateKey(
  ctx: Ctx,
  typed: string,
  machineId: string,
  now: string,
): Promise<{ malformed: boolean; standing: UpdateStanding | null }> {
  const names = namesOf(ctx, typed);
  for (const named of names) {
    const standing = 'digest' in named ? await findUpdateStanding(ctx, named, now) : null;
    if (standing) return { malformed: false, standing };
  }
  await noteUnknownKey(ctx, names, machineId);
  const [first] = names;
  if (ctx.origin.trail && first && 'digest' in first) ctx.origin.trail.unknownCredential = first.digest;
  return { malformed: names.length === 0, standing: null };
}

/**
 * The names under which a typed key may be stored, likeliest first; none when it holds a character that no key has.
 * A writing use case tries them under the lock: nothing read before it would count (C3).
 */
export function namesOf(ctx: Ctx, typed: string): Named[] {
  // Trimmed but not yet upper-cased: upper case would turn letters like ı and ſ into ones that keys have.
  if (!keyShape(typed.trim())) return [];
  const canonical = canonicalKey(typed);
  const alternative = alternativeKey(canonical);
  const spellings = alternative === null ? [canonical] : [canonical, alternative];
  return spellings.map((spelling) => ({ digest: keyDigest(ctx, spelling), spelling }));
}

/** The facts of a decision without a past: validate, check. */
export function factsOf(
  resolved: Pick<Resolved, 'malformed' | 'standing'>,
  request: RequestFacts,
  defaultLeaseSeconds: number,
): Facts {
  const { standing } = resolved;
  return {
    license: standing?.license ?? null,
    malformedKey: resolved.malformed,
    product: standing?.product ?? null,
    policy: standing?.policy ?? null,
    activation: standing?.activation ?? null,
    used: standing?.used ?? 0,
    request,
    history: null,
    defaultLeaseSeconds,
  };
}
