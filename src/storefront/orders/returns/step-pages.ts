import { createReadStream } from 'node:fs';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { photoFile } from '#storefront/contract/photo-file.ts';
import { returnInstructions, returnShipDays } from '#storefront/contract/selling-settings.ts';
import { money, orRefused } from '../desk/index.ts';
import { approve } from './decide.ts';
import { MOST_LABEL_BYTES, storeLabel } from './label.ts';
import { photoBytes } from './photos.ts';
import { receive } from './receive.ts';
import { CONDITIONS, type ReturnItem } from './record.ts';
import { get } from './returns.ts';
import { Approving, Receiving } from './schemas.ts';
import { wholeReturn } from './view.ts';

export const returnPage = (id: string): string => `/store/returns/${encodeURIComponent(id)}`;

const list = (max: number) => z.array(text({ max, trim: true })).max(100);
const line = (max: number) => text({ max, trim: true }).default('');

export const stepPage = {
  audience: { staff: 'orders:write' },
  layout: PANEL,
  help: 'returns',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
} as const;

/** The lines of a return as forms show them. @param left units that a step is about */
export async function itemsShown(ctx: Ctx, id: string, left: (item: ReturnItem) => number) {
  const { one, order, items, lines, reasons } = await wholeReturn(ctx, await get(ctx, id));
  return {
    one,
    order,
    number: one.returnNumber,
    after: returnPage(one.id),
    currency: order.currency,
    items: items.map((item) => {
      const known = lines.get(item.orderItemId);
      return {
        id: item.id,
        title: [known?.title, known?.variantTitle].filter((part) => part).join(', '),
        sku: known?.sku ?? '',
        left: left(item),
        reason: reasons.get(item.reasonId)?.label ?? '',
        note: item.note,
        worth: money(item.refundCents, order.currency),
      };
    }),
  };
}

/** @throws a refusal of the form for a quantity that is no number */
function unitsIn(typed: string | undefined): number {
  if (typed === undefined || typed === '') return 0;
  if (/^\d{1,3}$/.test(typed)) return Number(typed);
  throw refuseForm('The return was not changed', { quantity: 'A quantity is a number, such as 1' });
}

/** What a schema says of a form, beside its fields. @throws a refusal of the form */
export function checked<S extends z.ZodObject>(schema: S, sent: object): z.output<S> {
  const { success, data, error } = schema.safeParse(sent);
  if (success) return data;
  const faults = error.issues.map(({ path: [name], message }) => [
    name === 'items' ? 'quantity' : String(name),
    message,
  ]);
  throw refuseForm('The return was not changed', Object.fromEntries(faults));
}

const ApproveForm = later(() =>
  z.object({
    item: list(30),
    quantity: list(4),
    instructions: line(5000),
    labelUrl: line(2000),
    carrier: line(100),
  }),
);

/** Approves a return: how many units of each line, and how they travel. */
export const approvePage: Page = page({
  ...stepPage,
  path: '/store/returns/{id}/approve',
  title: 'Approve return',
  form: ApproveForm,
  files: { label: { maxCount: 1, maxBytes: () => MOST_LABEL_BYTES } },
  async show(ctx, { params: { id } }) {
    const { one, order: _order, ...shown } = await itemsShown(ctx, id, ({ quantity }) => quantity);
    return show(
      'store/return-approve',
      { ...shown, action: `${returnPage(one.id)}/approve`, days: ctx.settings.get(returnShipDays) },
      { values: { instructions: ctx.settings.get(returnInstructions) ?? '' } },
    );
  },
  async submit(ctx, { params: { id }, form, files }) {
    const input = checked(Approving, {
      items: form.item.flatMap((item, at) =>
        item === '' ? [] : [{ id: item, approvedQuantity: unitsIn(form.quantity[at]) }],
      ),
      instructions: form.instructions || undefined,
      labelUrl: form.labelUrl || undefined,
      carrier: form.carrier || undefined,
    });
    const label = files.label?.[0];
    const labelKey =
      label && (await orRefused(() => storeLabel(ctx, createReadStream(label.object.path)), 'label'));
    await orRefused(() => approve(ctx, id, { ...input, labelKey }), 'quantity');
    return goTo(returnPage(id));
  },
});

const ReceiveForm = later(() =>
  z.object({
    item: list(30),
    quantity: list(4),
    condition: z.array(oneOf(CONDITIONS)).max(100),
    restock: z.array(oneOf(['yes', 'no'])).max(100),
  }),
);

/** Notes what has arrived. */
export const receivePage: Page = page({
  ...stepPage,
  path: '/store/returns/{id}/receive',
  title: 'Receive return',
  form: ReceiveForm,
  async show(ctx, { params: { id } }) {
    const { one, order: _order, ...shown } = await itemsShown(ctx, id, (item) => item.approvedQuantity);
    return show('store/return-receive', {
      ...shown,
      action: `${returnPage(one.id)}/receive`,
      conditions: CONDITIONS,
    });
  },
  async submit(ctx, { params: { id }, form }) {
    const { items } = checked(Receiving, {
      items: form.item.map((item, at) => ({
        id: item,
        receivedQuantity: unitsIn(form.quantity[at]),
        condition: form.condition[at],
        restock: form.restock[at] === 'yes',
      })),
    });
    await orRefused(() => receive(ctx, id, items), 'quantity');
    return goTo(returnPage(id));
  },
});

/** A photo of a return. */
export const photoPage: Page = page({
  path: '/store/returns/{id}/photos/{photo}',
  title: 'Photo',
  audience: { staff: 'orders:read' },
  params: z.object({ id: text({ min: 1, max: 255 }), photo: text({ min: 1, max: 30 }) }),
  show: async (ctx, { params: { id, photo } }) => photoFile(await photoBytes(ctx, await get(ctx, id), photo)),
});
