import type { Ctx } from '#kernel/context.ts';
import { othersOf } from '#kernel/other-processes.ts';
import { memoryKey } from '#kernel/process-memory.ts';

/** Whoever was there so long ago has left: two beats of a page may be lost. */
const PRESENT_MS = 60_000;
/** Of one tenant; the oldest are forgotten first. */
const MOST_KEPT = 1000;

/** Somebody at the pages of an item. */
interface Beat {
  readonly tenantId: string;
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

const BEAT = 'who is at an item';

/**
 * Notes that the actor is at the pages of an item, and says who else is. Other servers do not know it: it helps people not
 * to meet, and what they save is guarded by its version.
 *
 * @param item identifies it within the tenant
 * @returns others of the same tenant who were there within a minute, those who edit first
 */
export function noteHere(ctx: Ctx, item: string, isEditing: boolean): readonly Other[] {
  const { id: actorId, label } = ctx.actor;
  if (actorId === null) return [];
  const now = Date.parse(ctx.now());
  const editedAt = isEditing ? now : null;
  const beat: Beat = { tenantId: ctx.tenantId, item, actorId, label: label ?? actorId, at: now, editedAt };
  const beats = note(ctx, beat);
  othersOf(ctx).tell(BEAT, beat);
  return [...beats.values()]
    .filter((beat) => beat.item === item && beat.actorId !== actorId)
    .map(({ label, editedAt }) => ({ label, isEditing: isFresh(editedAt, now) }))
    .sort((one, other) => Number(other.isEditing) - Number(one.isEditing));
}

/** Hears from the processes that serve together with this one who is where. */
export function hearBeats(ctx: Ctx): void {
  othersOf(ctx).on<Beat>(BEAT, (beat) => void note(ctx, beat));
}

/** @returns all that are known of the tenant */
function note(ctx: Pick<Ctx, 'memory'>, beat: Beat): Map<string, Beat> {
  const { tenantId, actorId, item } = beat;
  const tenants = ctx.memory.of(present);
  forget(tenants, beat.at);
  const beats = tenants.get(tenantId) ?? new Map<string, Beat>();
  tenants.delete(tenantId);
  tenants.set(tenantId, beats);
  const key = JSON.stringify([actorId, item]);
  const before = beats.get(key);
  beats.delete(key);
  if (beats.size >= MOST_KEPT) beats.delete(beats.keys().next().value as string);
  beats.set(key, { ...beat, editedAt: beat.editedAt ?? before?.editedAt ?? null });
  return beats;
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
