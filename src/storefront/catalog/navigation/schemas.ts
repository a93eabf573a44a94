import { z } from 'zod';
import { oneOf, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { LINK_TYPES, MOST_ITEMS } from './record.ts';

const Link = {
  label: text({ min: 1, max: 100, trim: true }),
  type: oneOf(LINK_TYPES),
  target: text({ min: 1, max: 2048, trim: true }),
};

const items = <S extends z.ZodType>(schema: S) =>
  z
    .array(schema, {
      error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of items'),
    })
    .max(MOST_ITEMS, `must have at most ${MOST_ITEMS} items`);

/** An item as it is sent: `target` is an id or a slug, of `url` an address. */
export const ItemInput = later(() => z.object({ ...Link, items: items(z.object(Link)).optional() }));

/** Both menus: null, and one that is left out, is the one that the shop makes by itself. */
export const MenusInput = later(() =>
  z.object(
    { header: items(ItemInput).nullish(), footer: items(ItemInput).nullish() },
    {
      error: ({ input }) =>
        input === undefined ? 'is required' : 'must be an object with header and footer',
    },
  ),
);
export type MenusSent = z.output<typeof MenusInput>;
export type ItemSent = z.output<typeof ItemInput>;
