import { z } from 'zod';
import { later } from '#kernel/sharing.ts';
import type { Menus } from './navigation.ts';
import { LINK_TYPES, type MenuItem, type MenuLink } from './record.ts';
import { hrefOf, type Targets } from './targets.ts';

const Link = {
  label: z.string(),
  type: z.enum(LINK_TYPES),
  target: z.string(),
  href: z.string().nullable().describe('Its target; null while shoppers cannot see it'),
};
const Items = z.array(z.object({ ...Link, items: z.array(z.object(Link)) }));

/** The menus of the shop; null is one that the shop makes by itself. */
export const MenusView = later(() =>
  z.object({ header: Items.nullable(), footer: Items.nullable() }).meta({ id: 'Menus' }),
);

const linkView = (targets: Targets, { label, type, target }: MenuLink) => ({
  label,
  type,
  target,
  href: hrefOf(targets, { type, target }),
});

export function menusView(menus: Menus, targets: Targets): z.output<typeof MenusView> {
  const of = (items: readonly MenuItem[] | null) =>
    items?.map((item) => ({
      ...linkView(targets, item),
      items: item.items.map((one) => linkView(targets, one)),
    })) ?? null;
  return { header: of(menus.header), footer: of(menus.footer) };
}
