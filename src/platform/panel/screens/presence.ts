import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';

/** Whoever was there so long ago has left: two beats of a page may be lost. */
const PRESENT_MS = 60_000;
/** Of one tenant; the oldest are forgotten first. */
const MOST_KEPT = 1000;

/** Somebody at the pages of an item. */
interface Beat {
  readonly item: string;
  readonly actorId: string;
  readonly label: string;
  readonly at: number;
  /** When the form of the item was open last; null for never. */
  readonly editedAt: number | null;
}

/** Somebody else at the pages of an item. */
export interface Other {
  readonly label: string;
  readonly isEditing: boolean;
}

/** By tenant, and there by person and item; what beat last stands last in both. */
const present = memoryKey('who is at an item', () => new Map<string, Map<string, Beat>>());

/**
 * Notes that the actor is at the pages of an item, and says who else is. It is known to this process alone: it helps
 * people not to meet, and what they save is guarded by its version.
 *
 * @param item identifies it within the tenant
 * @returns others of the same tenant who were there within a minute, those who edit first
 */
export function noteHere(ctx: Ctx, item: string, isEditing: boolean): readonly Other[] {
  const { id: actorId, label } = ctx.actor;
  if (actorId === null) return [];
  const tenants = ctx.memory.of(present);
  const now = Date.parse(ctx.now());
  forget(tenants, now);
  const beats = tenants.get(ctx.tenantId) ?? new Map<string, Beat>();
  tenants.delete(ctx.tenantId);
  tenants.set(ctx.tenantId, beats);
  const key = JSON.stringify([actorId, item]);
  const before = beats.get(key);
  beats.delete(key);
  if (beats.size >= MOST_KEPT) beats.delete(beats.keys().next().value as string);
  const editedAt = isEditing ? now : (before?.editedAt ?? null);
  beats.set(key, { item, actorId, label: label ?? actorId, at: now, editedAt });
  return [...beats.values()]
    .filter((beat) => beat.item === item && beat.actorId !== actorId)
    .map(({ label, editedAt }) => ({ label, isEditing: isFresh(editedAt, now) }))
    .sort((one, other) => Number(other.isEditing) - Number(one.isEditing));
}

const isFresh = (at: number | null, now: number): boolean => at !== null && now - at < PRESENT_MS;

/** The oldest stand first, so that nothing is read but what goes. */
function forget(tenants: Map<string, Map<string, Beat>>, now: number): void {
  for (const [tenantId, beats] of tenants) {
    for (const [key, { at }] of beats) {
      if (isFresh(at, now)) break;
      beats.delete(key);
    }
    if (beats.size > 0) return;
    tenants.delete(tenantId);
  }
}
