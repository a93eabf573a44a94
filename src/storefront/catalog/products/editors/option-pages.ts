import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { optional, text } from '#kernel/http/fields.ts';
import { goTo, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { mediaRows } from '#platform/media/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import { lock } from '../change.ts';
import * as options from '../options.ts';
import { getWhole } from '../products.ts';
import { MOST_OPTIONS, MOST_VALUES } from '../schemas.ts';
import type { OptionOf, ValueOf } from '../whole.ts';
import { ifCurrent } from './current.ts';

/** So many pictures of the library are suggested for a value. */
const SUGGESTED = 50;
/** Of an option with the most and the longest values. */
const FORM_BYTES = 200_000;

const addressOf = (id: string): string => `/store/products/${encodeURIComponent(id)}`;
const tabOf = (id: string): string => `${addressOf(id)}?tab=options#tabs`;

/** What the tab with the options of a product shows. */
export async function optionsTab(
  ctx: Ctx,
  { id }: { readonly id: string },
): Promise<Record<string, unknown>> {
  const { product, options: all } = await getWhole(ctx, id);
  const mayWrite = allows(ctx.actor, 'products:write');
  const { items } = mayWrite ? await mediaRows.page(ctx, { offset: 0, limit: SUGGESTED }) : { items: [] };
  return {
    action: `${addressOf(id)}/options/arrange`,
    matrix: `${addressOf(id)}/variants`,
    after: tabOf(id),
    name: product.title,
    version: product.version,
    mayWrite,
    mayAdd: all.length < MOST_OPTIONS,
    suggested: items.map((one) => ({ id: one.id, label: one.fileName })),
    options: all.map((option) => ({
      id: option.id,
      name: option.name,
      values: option.values.map((one) => ({
        id: one.id,
        value: one.value,
        swatch: one.swatchHex ?? '',
        picture: one.media?.id ?? '',
      })),
    })),
  };
}

/** A field that comes once for each value of the option. */
const each = (max: number) => z.array(z.string().max(max)).max(MOST_VALUES);

const Form = later(() =>
  z.object({
    version: text({ min: 1, max: 20 }),
    /** `save`, `add`, or what is done with what: `up opt_…`, `remove opv_…`. */
    do: text({ min: 1, max: 60 }),
    option: optional(text({ max: 30 })),
    name: optional(text({ max: 50 })).meta({ title: 'Name' }),
    id: each(30),
    value: each(100),
    swatch: each(7),
    picture: each(30),
    values: optional(text({ max: 20_000 })).meta({ title: 'Values' }),
  }),
);
type Sent = z.output<typeof Form>;

/** One per line, or with commas between them. */
const namesIn = (list: string | undefined): string[] =>
  (list ?? '')
    .split(/[\n,]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Adds, renames, orders and takes away options and their values, with one press of a button. */
export const optionsPage = page({
  path: '/store/products/{id}/options/arrange',
  title: 'Options of a product',
  audience: { staff: 'products:write' },
  layout: PANEL,
  help: 'glossary',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: Form,
  formBytes: FORM_BYTES,
  show: async (ctx, { params }) => show('store/options', await optionsTab(ctx, params)),
  async submit(ctx, { params: { id }, form }) {
    await ifCurrent(() =>
      ctx.tx(async (ctx) => {
        await lock(ctx, id, { ifMatch: form.version });
        if (form.do === 'add') await addOption(ctx, id, form);
        else await changeOption(ctx, id, form);
      }),
    );
    return goTo(tabOf(id));
  },
});

async function addOption(ctx: Ctx, id: string, { name, values }: Sent): Promise<void> {
  if (!name) throw refuseForm('The option has no name', { name: 'Enter a name, such as Color' });
  await options.addOption(ctx, id, { name, values: namesIn(values) });
}

/** What was typed is saved whatever was pressed; then that is done. */
async function changeOption(ctx: Ctx, id: string, form: Sent): Promise<void> {
  const all = (await getWhole(ctx, id)).options;
  const option = all.find((one) => one.id === form.option);
  if (!option) throw refuseForm('The option is no longer there; nothing was saved');
  const [what = '', target = ''] = form.do.split(' ');
  if (what === 'remove' && target === option.id) return void (await options.removeOption(ctx, option.id));
  if (form.name !== undefined && form.name !== option.name)
    await options.changeOption(ctx, option.id, { name: form.name });
  for (const [at, valueId] of form.id.entries()) await changeValue(ctx, option, valueId, form, at);
  for (const value of namesIn(form.values)) await options.addValue(ctx, option.id, { value });
  if (what === 'remove') await options.removeValue(ctx, requireOne(option, target).id);
  if (what === 'up' || what === 'down') await move(ctx, all, option, target, what === 'up' ? -1 : 1);
}

function requireOne({ name, values }: OptionOf, id: string): ValueOf {
  const value = values.find((one) => one.id === id);
  if (!value) throw refuseForm(`${name} no longer has that value; nothing was saved`);
  return value;
}

async function changeValue(ctx: Ctx, option: OptionOf, id: string, form: Sent, at: number): Promise<void> {
  const before = requireOne(option, id);
  const wanted = {
    value: (form.value[at] ?? '').trim(),
    swatchHex: (form.swatch[at] ?? '').trim() || null,
    mediaId: (form.picture[at] ?? '').trim() || null,
  };
  const isSame =
    wanted.value === before.value &&
    wanted.swatchHex === before.swatchHex &&
    wanted.mediaId === (before.media?.id ?? null);
  if (!isSame) await options.changeValue(ctx, id, wanted);
}

/** Moves the option among the options, or one of its values among them: those that change their places are written. */
async function move(ctx: Ctx, all: readonly OptionOf[], option: OptionOf, id: string, by: -1 | 1) {
  const isOption = id === option.id;
  const items: readonly { id: string; position: number }[] = isOption ? all : option.values;
  const order = items.map((one) => one.id);
  const from = order.indexOf(id);
  const to = from + by;
  if (from === -1 || to < 0 || to >= order.length) return;
  order.splice(to, 0, ...order.splice(from, 1));
  for (const [position, one] of order.entries()) {
    if (items.find((item) => item.id === one)?.position === position) continue;
    if (isOption) await options.changeOption(ctx, one, { position });
    else await options.changeValue(ctx, one, { position });
  }
}
