import type { Ctx } from '#kernel/context.ts';
import { bulkActionsOf } from './bulk-actions.ts';
import { itemActionsOf } from './item-actions.ts';
import { addressOf, type Desk, itemAddress, type Named } from './registry.ts';

/** The button that takes back what was just done. */
export interface UndoModel {
  /** Where its form is sent. */
  readonly action: string;
  readonly label: string;
  /** What the form carries beside its token. */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

/**
 * What takes back what was done with an item; null where nothing does, in the state that it is in and for who looks.
 *
 * @param done what the address says was done, which is a stranger's word
 * @param row as its resource reads it
 */
export function undoOf(
  desk: Desk,
  ctx: Ctx,
  done: string | undefined,
  { named, row, at }: { named: Named; row: object; at: string },
): UndoModel | null {
  const name = undoing(desk, done);
  const offered = itemActionsOf(desk, ctx, row).find((one) => one.name === name);
  if (name === undefined || !offered) return null;
  const fields = [
    { name: '_once', value: ctx.newId('frm') },
    { name: '_at', value: at },
  ];
  return { action: itemAddress(desk, named, `/${name}`), label: offered.label, fields };
}

/** The same for many rows, all of which were changed. @param ids of those rows */
export function undoOfMany(
  desk: Desk,
  ctx: Ctx,
  done: string,
  { named, ids }: { named: Named; ids: readonly string[] },
): UndoModel | null {
  const name = undoing(desk, done === 'delete' ? 'remove' : done);
  const offered = bulkActionsOf(desk, ctx).find((one) => one.name === name);
  if (name === undefined || !offered || ids.length === 0) return null;
  const fields = [
    { name: 'action', value: name },
    { name: 'sure', value: 'true' },
    { name: '_once', value: ctx.newId('frm') },
    ...ids.map((value) => ({ name: 'ids', value })),
  ];
  return { action: addressOf(desk, named, '/bulk'), label: offered.label, fields };
}

const undoing = ({ screen: { undo = {} } }: Desk, done: string | undefined): string | undefined =>
  done !== undefined && Object.hasOwn(undo, done) ? undo[done] : undefined;
