import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';

export const MENUS = ['header', 'footer'] as const;
export type MenuKey = (typeof MENUS)[number];
export const LINK_TYPES = ['page', 'category', 'collection', 'url'] as const;
/** Items of one level. */
export const MOST_ITEMS = 50;

const Link = {
  label: z.string().max(100),
  type: z.enum(LINK_TYPES),
  /** Id of what it leads to, so that another slug changes nothing; of `url` the address. */
  target: z.string().max(2048),
};
const stored = z
  .array(z.strictObject({ ...Link, items: z.array(z.strictObject(Link)).max(MOST_ITEMS) }))
  .max(MOST_ITEMS);

/** What a menu leads to. */
export type MenuLink = z.output<z.ZodObject<typeof Link>>;
/** An item of a menu with those under it: there are two levels. */
export type MenuItem = z.output<typeof stored>[number];

/** What the header and the footer of the shop list; without a row they list what there is (storefront-domain 4.13). */
export const menuRecord = record(
  'menus',
  {
    key: column.choice(MENUS),
    items: column.json(() => stored),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { key: ['key'] },
);
export type Menu = ValuesOf<typeof menuRecord>;
