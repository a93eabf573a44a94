import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { limitAddress } from '#kernel/http/client-address.ts';
import { othersOf } from '#kernel/other-processes.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import * as queries from './queries.ts';

/** Until when addresses are shut out, ISO 8601 UTC, by the key under which an address is limited (D16). */
const blocked = memoryKey<Map<string, string>>('honeypot-blocks', () => new Map());

/** Beyond this many the oldest goes: somebody who owns that many addresses is not stopped by a list of them. */
const MOST_BLOCKED = 20_000;

/** Who used a honeypot last, when, and for how long it shuts an address out. */
interface Use {
  readonly ip: string;
  readonly blockIpSeconds: number | null;
  readonly lastAt: string;
}

const SHUT_OUT = 'honeypot used';

/** As `block`, at once also in the processes that serve together with this one. */
export function blockEverywhere(ctx: Ctx, use: Use): void {
  if (!use.blockIpSeconds) return;
  const { ip, blockIpSeconds, lastAt } = use;
  block(ctx, use);
  othersOf(ctx).tell(SHUT_OUT, { ip, blockIpSeconds, lastAt });
}

/** Shuts an address out for the seconds that a honeypot asks for, from the time it was used (D131). */
function block(ctx: Ctx, { ip, blockIpSeconds, lastAt }: Use): void {
  if (!blockIpSeconds) return;
  const addresses = ctx.memory.of(blocked);
  const address = limitAddress(ip);
  const until = addSeconds(lastAt, blockIpSeconds);
  const known = addresses.get(address);
  if (known !== undefined && known >= until) return;
  addresses.delete(address);
  const oldest = addresses.size < MOST_BLOCKED ? undefined : addresses.keys().next().value;
  if (oldest !== undefined) addresses.delete(oldest);
  addresses.set(address, until);
}

/**
 * Seconds for which an address stays shut out; 0 when it is not. Asked before every request, so that it costs nothing
 * while nobody is shut out.
 *
 * @param address as `limitAddress` gives it
 */
export function blockedSeconds(ctx: Ctx, address: string): number {
  const addresses = ctx.memory.of(blocked);
  if (addresses.size === 0) return 0;
  const until = addresses.get(address);
  if (until === undefined) return 0;
  const leftMs = Date.parse(until) - Date.parse(ctx.now());
  if (leftMs > 0) return Math.min(SECONDS_PER_DAY, Math.ceil(leftMs / 1000));
  addresses.delete(address);
  return 0;
}

/** When this process last looked for uses that were written, ISO 8601 UTC; null = never. */
const looked = memoryKey<{ at: string | null }>('honeypot-blocks-looked', () => ({ at: null }));

/** Another process may write a use some time after it happened, and its clock may differ. */
const LATE_SECONDS = 120;

/**
 * Shuts out whom the written uses shut out: at the start those of the last day, since a restart frees nobody, and then
 * every ten seconds those since the last look, which other processes have seen.
 */
export async function learnBlocks(ctx: Ctx): Promise<void> {
  const memory = ctx.memory.of(looked);
  othersOf(ctx).on<Use>(SHUT_OUT, (use) => block(ctx, use));
  const now = ctx.now();
  const dayAgo = addSeconds(now, -SECONDS_PER_DAY);
  const before = memory.at === null || memory.at > now ? dayAgo : addSeconds(memory.at, -LATE_SECONDS);
  const hits = await queries.listBlockingHits(ctx, before > dayAgo ? before : dayAgo);
  for (const hit of hits) block(ctx, hit);
  memory.at = now;
}
