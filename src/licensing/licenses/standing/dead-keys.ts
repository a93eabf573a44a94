import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { type DeadKey, findDeadKey } from './queries.ts';
import type { Named } from './repository.ts';

/** Uses of one dead key from one address that nobody has been told of yet. */
export interface DeadKeyUse extends DeadKey {
  ip: string;
  /** Declared path of the endpoint. */
  endpoint: string;
  /** The last that was sent; null for none. */
  machineId: string | null;
  userAgent: string | null;
  count: number;
  firstAt: string;
  lastAt: string;
}

interface Waiting {
  uses: Map<string, DeadKeyUse & { requestId: string | null }>;
}

/** Addresses times keys that may wait; they are told right after each answer, so that few do. */
const MOST_WAITING = 1000;
const LONGEST_USER_AGENT = 255;

const waiting = memoryKey<Waiting>('dead-key-uses', () => ({ uses: new Map() }));

/**
 * Called wherever a typed key turns out to be unknown to the caller. It looks the key up once more, among honeypots
 * and replaced keys, whatever the key is: an answer about a honeypot must take as many look-ups as any other (D131).
 * A find only fills memory; `takeDeadKeyUses` hands it over once the answer is on its way.
 *
 * Commands and jobs are no callers: staff who look up a key set off no alarm.
 *
 * @param names of the typed key, none when it holds a character that no key has
 * @param machineId as sent; empty for none
 */
export async function noteUnknownKey(ctx: Ctx, names: readonly Named[], machineId: string): Promise<void> {
  const { trail, ip } = ctx.origin;
  const digests = names.flatMap((named) => ('digest' in named ? [named.digest] : []));
  const [first] = digests;
  if (!trail || ip === null || first === undefined) return;
  const dead = await findDeadKey(ctx, [first, digests[1] ?? first], ctx.now());
  // A key of another tenant is nobody's business here; the update endpoints are called without a tenant (D100).
  if (!dead || (ctx.actor.kind === 'api_key' && dead.tenantId !== ctx.tenantId)) return;
  remember(ctx, dead, ip, machineId);
}

function remember(ctx: Ctx, dead: DeadKey, ip: string, machineId: string): void {
  const { uses } = ctx.memory.of(waiting);
  const { requestId, route, userAgent } = ctx.origin;
  const now = ctx.now();
  const name = `${dead.keyId} ${ip}`;
  const known = uses.get(name);
  if (!known && uses.size >= MOST_WAITING) {
    ctx.log.warn({ keyId: dead.keyId }, 'a use of a dead key was not noted: too many wait');
    return;
  }
  // A transaction that had to be repeated comes here twice with one request.
  const isRepeat = known !== undefined && requestId !== null && known.requestId === requestId;
  uses.set(name, {
    ...dead,
    ip,
    endpoint: route ?? '',
    machineId: machineId === '' ? (known?.machineId ?? null) : machineId,
    userAgent: userAgent?.slice(0, LONGEST_USER_AGENT) ?? null,
    count: (known?.count ?? 0) + (isRepeat ? 0 : 1),
    firstAt: known?.firstAt ?? now,
    lastAt: now,
    requestId,
  });
}

/** Whether anything waits: asked after every answer. */
export const hasDeadKeyUses = (ctx: Ctx): boolean => ctx.memory.of(waiting).uses.size > 0;

/** Hands over the uses that nobody has been told of. */
export function takeDeadKeyUses(ctx: Ctx): DeadKeyUse[] {
  const memory = ctx.memory.of(waiting);
  const taken = [...memory.uses.values()];
  memory.uses = new Map();
  return taken.map(({ requestId: _requestId, ...use }) => use);
}
