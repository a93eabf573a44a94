import type { Ctx } from '#kernel/context.ts';
import { counterSeen } from '#kernel/db/counters.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { CATALOG_COUNTER } from '../products/index.ts';
import { get, type Menus } from './navigation.ts';
import type { MenuItem, MenuKey } from './record.ts';
import { hrefOf, type Targets, targetsOf } from './targets.ts';

/** An item as pages show it: `href` null is a heading. */
export interface ShownItem {
  readonly label: string;
  readonly href: string | null;
  readonly items: readonly { readonly label: string; readonly href: string }[];
}

/** A menu as the shop shows it; null where the shop makes it by itself. */
type ShownMenus = Readonly<Record<MenuKey, readonly ShownItem[] | null>>;

const held = memoryKey('menus of the shop', () => ({
  kept: { version: -1, menus: { header: null, footer: null } as ShownMenus },
}));

/** Without what leads nowhere now, such as to a page that became a draft. */
function shownItem(targets: Targets, { label, items, ...link }: MenuItem): ShownItem[] {
  const below = items.flatMap((one) => {
    const href = hrefOf(targets, one);
    return href === null ? [] : [{ label: one.label, href }];
  });
  const href = hrefOf(targets, link);
  return href === null && below.length === 0 ? [] : [{ label, href, items: below }];
}

/** The menus as shoppers see them, read anew when the counter of the catalogue is another one. */
export async function shownMenus(ctx: Ctx): Promise<ShownMenus> {
  const memory = ctx.memory.of(held);
  const version = await counterSeen(ctx, CATALOG_COUNTER);
  if (memory.kept.version === version) return memory.kept.menus;
  const stored: Menus = await get(ctx);
  const targets = await targetsOf(ctx);
  const of = (key: MenuKey) => stored[key]?.flatMap((item) => shownItem(targets, item)) ?? null;
  const menus = { header: of('header'), footer: of('footer') };
  if (version > memory.kept.version) memory.kept = { version, menus };
  return menus;
}
