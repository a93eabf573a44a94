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

/** Those that somebody may do with an item in its state. @param row as its resource reads it */
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
