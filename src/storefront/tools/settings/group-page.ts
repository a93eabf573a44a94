/** What pages of settings have in common. */
import type { Ctx } from '#kernel/context.ts';
import { PANEL } from '#platform/panel/index.ts';
import { fieldsOf, mayWrite, requireWrite, save } from './form.ts';
import type { Group } from './groups.ts';
import { reset } from './settings.ts';

export const shared = { audience: { staff: 'settings:read' }, layout: PANEL, help: 'open-a-shop' } as const;

/** What a page of settings says after it did what was asked. */
const DONE: Readonly<Record<string, string>> = {
  saved: 'The settings were saved.',
  same: 'No changes: the settings already have these values.',
  reset: 'The setting was reset to its default.',
};

/** What every page of a group shows. */
export const groupModel = (ctx: Ctx, group: Group, done: string | undefined) => ({
  title: group.label,
  about: group.about,
  path: group.path,
  fields: fieldsOf(ctx, group),
  mayWrite: mayWrite(ctx),
  done: DONE[done ?? ''] ?? null,
});

/** Saves the form, or puts one setting back. @returns what to say of it */
export async function act(
  ctx: Ctx,
  group: Group,
  { reset: key, ...sent }: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  if (key === undefined) return (await save(ctx, group, sent)).length > 0 ? 'saved' : 'same';
  requireWrite(ctx);
  await reset(ctx, key);
  return 'reset';
}
