import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import { PANEL } from './list-page.ts';
import { noteHere } from './presence.ts';
import { audienceOf, type Desk, itemAddress, itemPath, keyOf, type Named } from './registry.ts';

/** More names than these are a number. */
const MOST_NAMED = 5;

const Here = z.object({ edits: z.literal('true').optional() });

/** Where the pages of an item say that somebody looks at it, and learn who else does (admin.md 2.2). */
export function presencePage(desk: Desk): Page[] {
  const { ops, labels, itemParams, screen } = desk;
  if (!ops.get) return [];
  return [
    page({
      path: itemPath(desk, '/here'),
      title: `Who else is viewing this ${labels.one}`,
      audience: audienceOf(ops.get),
      layout: PANEL,
      help: screen.empty.docs,
      fragments: { here: 'panel/here' },
      params: itemParams,
      form: Here,
      show: async (_ctx, { params }) => goTo(itemAddress(desk, params as Named)),
      async submit(ctx, { params, form }) {
        const named = params as Named;
        const { view } = await ops.find(ctx, named);
        const others = noteHere(ctx, `${desk.name} ${view.id ?? keyOf(desk, view)}`, form.edits === 'true');
        return show('panel/here', {
          others: others.slice(0, MOST_NAMED),
          more: Math.max(0, others.length - MOST_NAMED),
        });
      },
    }),
  ];
}

/** The address to which a page of an item beats; null for whoever looks as somebody else, who is announced nowhere. */
export const presenceHref = (desk: Desk, ctx: Ctx, named: Named): string | null =>
  desk.ops.get && !ctx.actor.viewing ? itemAddress(desk, named, '/here') : null;
