import type { Ctx } from '#kernel/context.ts';
import type { Action, Level } from '../../admin/index.ts';
import { type Desk, mayDo } from './registry.ts';

/** What can be done with an item, as its page offers it. */
export interface ItemAction {
  readonly name: string;
  readonly label: string;
  readonly level: Level;
  /** Done by one press: it needs no input and nobody has to think about it. */
  readonly isDirect: boolean;
}

/** What the header of an item offers: a few as buttons, the rest in a menu. */
interface HeaderActions {
  readonly first: readonly ItemAction[];
  readonly more: readonly ItemAction[];
}

/** Buttons of a header: more than these are read by nobody. */
const MOST_BUTTONS = 3;

/** Those that somebody may do with an item in its state, in the order of their declaration, severe ones last. */
export function headerActionsOf(desk: Desk, ctx: Ctx, row: object): HeaderActions {
  const all = itemActionsOf(desk, ctx, row);
  const isSevere = ({ level }: ItemAction) => level === 'severe';
  const sorted = [...all.filter((one) => !isSevere(one)), ...all.filter(isSevere)];
  // A menu of one would only hide it.
  const buttons = sorted.length <= MOST_BUTTONS + 1 ? sorted.length : MOST_BUTTONS;
  return { first: sorted.slice(0, buttons), more: sorted.slice(buttons) };
}

/** All that somebody may do with an item in its state. @param row as its resource reads it */
export function itemActionsOf(desk: Desk, ctx: Ctx, row: object): readonly ItemAction[] {
  const { ops } = desk;
  const actions = Object.entries(ops.spec.actions ?? {})
    .filter(([name, one]) => isOnItem(desk, name, one) && mayDo(ctx.actor, ops.actions[name]))
    .filter(([, { when }]) => when?.(row) ?? true)
    .map(([name, { label, level, input, sudo }]) => ({
      name,
      label: label.replace(/ (?:the|a|an|of)$/, ''),
      level,
      isDirect: level === 'mild' && input === undefined && !sudo,
    }));
  if (!mayDo(ctx.actor, ops.remove)) return actions;
  const level = ops.spec.remove?.level ?? 'moderate';
  return [...actions, { name: 'remove', label: 'Delete', level, isDirect: false }];
}

/** Whether a page can offer an action: of one item, with a form for its input. */
export function isOnItem({ screen, ops }: Desk, name: string, one: Action<object>): boolean {
  const { where, method = 'post', upload, file } = one;
  const isForm = method !== 'get' && !upload && !file;
  return (
    isForm && (where === 'row' || where === 'both') && !screen.without?.includes(name) && name in ops.actions
  );
}
