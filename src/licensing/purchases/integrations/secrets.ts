import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';

/** A replaced secret is accepted for so long: the processor is changed over by hand (M12). */
const OVERLAP_SECONDS = SECONDS_PER_DAY;

/** How long the secret that is replaced now stays valid; ISO time. */
export const overlapEnd = (now: string): string => addSeconds(now, OVERLAP_SECONDS);

/** An overlap that has ended is none. */
export const stillAccepted = <T extends { previousUntil: string | null }>(ctx: Ctx, config: T): T => {
  const { previousUntil } = config;
  return {
    ...config,
    previousUntil: previousUntil !== null && previousUntil > ctx.now() ? previousUntil : null,
  };
};

/** Bound to the row and to its place: moved elsewhere a ciphertext does not open (M11). */
const ownerOf = (configId: string, place: 'secret' | 'previous'): string => `inbound:${configId}:${place}`;

/** Seals a secret for its integration. */
export const sealSecret = (
  ctx: Ctx,
  configId: string,
  secret: string,
  place: 'secret' | 'previous' = 'secret',
): string => ctx.keyring.seal('secret', secret, ownerOf(configId, place));

/** @throws SealError when the master key does not open it */
export const openSecret = (
  ctx: Ctx,
  configId: string,
  sealed: string,
  place: 'secret' | 'previous' = 'secret',
): string => ctx.keyring.open('secret', sealed, ownerOf(configId, place));
