import type { Ctx } from '#kernel/context.ts';
import { alternativeKey, canonicalKey, keyShape } from '../key-formats/index.ts';
import type { Facts, RequestFacts } from './facts.ts';
import { findStanding, isVisible, type Named, type Standing } from './repository.ts';

/** Lookup digest of a key in its canonical spelling (M11). */
export const keyDigest = (ctx: Ctx, canonical: string): string => ctx.keyring.digest('lookup', canonical);

/** What a typed key leads to. */
export interface Resolved {
  malformed: boolean;
  /** How the license is named from here on; null when there is none. */
  named: Named | null;
  standing: Standing | null;
}

/**
 * Finds the license of a typed key: its canonical spelling, then once more with letters read as the digits that
 * people take them for (D11, D12).
 *
 * @param machineId the machine whose activation is asked for; empty for none
 */
export async function resolveKey(ctx: Ctx, typed: string, machineId: string, now: string): Promise<Resolved> {
  // Trimmed but not yet upper-cased: upper case would turn letters like ı and ſ into ones that keys have.
  if (!keyShape(typed.trim())) return { malformed: true, named: null, standing: null };
  const canonical = canonicalKey(typed);
  const named = { digest: keyDigest(ctx, canonical), spelling: canonical };
  const standing = await findStanding(ctx, named, machineId, now);
  if (standing) return { malformed: false, named, standing };
  const alternative = alternativeKey(canonical);
  if (alternative === null) return { malformed: false, named: null, standing: null };
  const second = { digest: keyDigest(ctx, alternative), spelling: alternative };
  const found = await findStanding(ctx, second, machineId, now);
  return { malformed: false, named: found ? second : null, standing: found };
}

/**
 * The digest under which a typed key is stored, without reading its license: what a writing use case needs before
 * it locks. Foreign and unknown keys end here alike, with the same look-ups.
 */
export async function nameOf(ctx: Ctx, typed: string): Promise<Pick<Resolved, 'malformed' | 'named'>> {
  if (!keyShape(typed.trim())) return { malformed: true, named: null };
  const canonical = canonicalKey(typed);
  for (const spelling of [canonical, alternativeKey(canonical)]) {
    if (spelling === null) continue;
    const digest = keyDigest(ctx, spelling);
    if (await isVisible(ctx, digest)) return { malformed: false, named: { digest, spelling } };
  }
  return { malformed: false, named: null };
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
