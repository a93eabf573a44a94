import type { Ctx } from '#kernel/context.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { navigationEvents } from './events.ts';
import { listMenus } from './queries.ts';
import { MENUS, type MenuItem, type MenuKey, type MenuLink } from './record.ts';
import * as repo from './repository.ts';
import { type ItemSent, MenusInput, type MenusSent } from './schemas.ts';
import { isLinkAddress, type Targets, targetsOf } from './targets.ts';

/** The menus that staff made; null stands for the one that the shop makes by itself. */
export type Menus = Readonly<Record<MenuKey, readonly MenuItem[] | null>>;

/** As the database has them. */
export async function get(ctx: Ctx): Promise<Menus> {
  const all = await listMenus(ctx);
  const of = (key: MenuKey) => all.find((one) => one.key === key)?.items ?? null;
  return { header: of('header'), footer: of('footer') };
}

/**
 * Puts menus in place of those before; a call that changes nothing writes nothing.
 *
 * @throws AppError VALIDATION_ERROR for a link to what does not exist, and for an address of another kind
 */
export async function replace(ctx: Ctx, input: MenusSent): Promise<Menus> {
  const sent = checkInput(MenusInput, input);
  return ctx.tx(async (ctx) => {
    await repo.lockMenus(ctx);
    const before = await get(ctx);
    const targets = await targetsOf(ctx);
    const known: Known = { targets, before: idsIn(before) };
    const of = (key: MenuKey) => sent[key]?.map((item, at) => storedItem(known, item, `menus.${key}.${at}`));
    const after: Menus = { header: of('header') ?? null, footer: of('footer') ?? null };
    if (Object.keys(changesBetween(before, after)).length === 0) return before;
    const now = ctx.now();
    await repo.replaceMenus(
      ctx,
      MENUS.flatMap((key) => {
        const items = after[key];
        return items ? [{ key, items: [...items], createdAt: now, updatedAt: now }] : [];
      }),
    );
    const counts = { header: after.header?.length ?? 0, footer: after.footer?.length ?? 0 };
    await navigationEvents.tell(ctx, 'navigation.updated', 'navigation', counts, { before, after });
    return after;
  });
}

/** What a link may name: what shoppers can open, and what stood there before. */
interface Known {
  readonly targets: Targets;
  readonly before: ReadonlySet<string>;
}

const idsIn = ({ header, footer }: Menus): ReadonlySet<string> =>
  new Set(
    [...(header ?? []), ...(footer ?? [])]
      .flatMap(({ items, ...link }) => [link, ...items])
      .flatMap(({ type, target }) => (type === 'url' ? [] : [target])),
  );

const storedItem = (known: Known, { items = [], ...link }: ItemSent, path: string): MenuItem => ({
  ...storedLink(known, link, path),
  items: items.map((one, at) => storedLink(known, one, `${path}.items.${at}`)),
});

/** A link by the id of what it leads to. @throws AppError VALIDATION_ERROR */
function storedLink({ targets, before }: Known, { label, type, target }: MenuLink, path: string): MenuLink {
  if (type === 'url') {
    if (isLinkAddress(target)) return { label, type, target };
    throw invalidField(
      `${path}.target`,
      `"${target}" must start with http:// or https://, or with a single / for a page of this shop`,
    );
  }
  const found = targets[type].find(({ id, slug }) => id === target || slug === target);
  if (found || before.has(target)) return { label, type, target: found?.id ?? target };
  throw invalidField(`${path}.target`, `${type} ${target} does not exist`);
}
