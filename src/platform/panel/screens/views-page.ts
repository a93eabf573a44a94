import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { visibleLine } from '#kernel/visible-text.ts';
import * as savedViews from '../../saved-views/index.ts';
import type { Query } from './address.ts';
import { AnyQuery, PANEL } from './list-page.ts';
import { addressOf, audienceOf, type Desk, type Named } from './registry.ts';
import { keptQuery, viewAddress } from './views.ts';
import { listTitleOf } from './words.ts';

const TASKS = ['save', 'change', 'remove', 'open', 'columns'] as const;

const form = later(() =>
  z.object({
    task: oneOf(TASKS),
    id: z.string().max(30).optional(),
    name: text({ max: savedViews.LONGEST_NAME, trim: true }).optional(),
    /** Of a view that is renamed: beside it stands the field of one that is made. */
    newName: text({ max: savedViews.LONGEST_NAME, trim: true }).meta({ title: 'Name' }).optional(),
    query: text({ max: 2 * savedViews.LONGEST_QUERY }).optional(),
    columns: text({ max: savedViews.LONGEST_QUERY }).optional(),
    shared: z.literal('true').optional(),
    isDefault: z.literal('true').optional(),
  }),
);
type Sent = z.output<typeof form>;

/** What is done with the views of a list, and what is said of it afterwards. */
const DONE: Readonly<Record<string, string>> = {
  change: 'The view was saved.',
  remove: 'The view was removed.',
  open: 'Your preferences were saved.',
};

/** The views that somebody saved of a list, and those that others share. */
export function viewsPage(desk: Desk): Page[] {
  const { ops, screen, labels, listParams } = desk;
  if (!ops.list) return [];
  return [
    page({
      path: `${screen.path}/views`,
      title: `Views of ${labels.many}`,
      audience: audienceOf(ops.list),
      layout: PANEL,
      help: screen.empty.docs,
      params: listParams,
      query: AnyQuery,
      joinsRepeated: true,
      form,
      async show(ctx, { params, query }) {
        const path = addressOf(desk, params as Named);
        const { done, ...narrowed } = query;
        const { views, columns } = await savedViews.of(ctx, desk.name);
        const shown = views.map((view) => ({ ...view, href: viewAddress(path, view) }));
        return show(
          'panel/views',
          {
            labels,
            listTitle: listTitleOf(desk),
            path,
            views: shown,
            columns,
            done: (done !== undefined && DONE[done]) || null,
          },
          { values: { query: keptQuery(narrowed) } },
        );
      },
      submit: (ctx, { params, form: sent }) => work(desk, ctx, addressOf(desk, params as Named), sent),
    }),
  ];
}

async function work({ name: list }: Desk, ctx: Ctx, path: string, sent: Sent): Promise<Shown> {
  const { task, id = '' } = sent;
  const isShared = sent.shared === 'true';
  switch (task) {
    case 'save': {
      const name = required('name', sent.name);
      const query = queryOf(sent);
      const made = await savedViews.save(ctx, list, {
        name,
        query,
        isShared,
        isDefault: sent.isDefault === 'true',
      });
      return goTo(`${viewAddress(path, { id: made, query })}&done=view`);
    }
    case 'change':
      await savedViews.change(ctx, list, id, { name: required('newName', sent.newName), isShared });
      break;
    case 'remove':
      await savedViews.remove(ctx, list, id);
      break;
    case 'open':
      await savedViews.choose(ctx, list, { viewId: id === '' ? null : id });
      break;
    case 'columns':
      return keepColumns(ctx, list, path, sent);
  }
  return goTo(`${path}/views?done=${task}`);
}

async function keepColumns(ctx: Ctx, list: string, path: string, sent: Sent): Promise<Shown> {
  await savedViews.choose(ctx, list, { columns: sent.columns ?? null });
  const { columns: _picked, ...rest } = Object.fromEntries(new URLSearchParams(queryOf(sent)));
  const query = new URLSearchParams({ ...rest, done: 'columns' });
  return goTo(`${path}?${query}`);
}

function queryOf({ query = '' }: Sent): string {
  const kept = keptQuery(Object.fromEntries(new URLSearchParams(query)) as Query);
  if (kept.length <= savedViews.LONGEST_QUERY) return kept;
  throw refuseForm('The filters of this list are too long to save. Remove some and save again');
}

/** @throws FormRefusal for no name, and for one with letters that others would read otherwise than they stand there */
function required(field: string, name = ''): string {
  if (visibleLine(name) !== name)
    throw refuseForm('Choose another name for the view', {
      [field]: `has invisible characters: ${visibleLine(name)}. Type the name again without them`,
    });
  if (name !== '') return name;
  throw refuseForm('Enter a name for the view', { [field]: 'is required' });
}
