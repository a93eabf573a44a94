import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { goTo, type Page, page, type Shown, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import * as settings from '#platform/settings/index.ts';
import { offlineInstructions, offlinePaymentDays } from '#storefront/contract/payment-settings.ts';
import { configuredProcessors, type Processor, setup } from '#storefront/orders/processors/index.ts';
import { formOf, requireWrite, valuesOf } from './form.ts';
import { act, groupModel, shared } from './group-page.ts';
import type { Group } from './groups.ts';

const help = 'take-payments';

/** What a page of payments says after it did what was asked. */
const DONE: Readonly<Record<string, string>> = {
  activated: 'It is now the main payment method.',
  offered: 'It is now offered at checkout.',
  withdrawn: 'It is no longer offered at checkout.',
};

/** What the buttons of a processor do. */
const todo = z.enum(['activate', 'offer', 'withdraw']);

async function carryOut(ctx: Ctx, id: string, what: z.output<typeof todo>): Promise<string> {
  if (what === 'activate') await setup.activate(ctx, id);
  else await setup.offer(ctx, id, what === 'offer');
  return what === 'activate' ? 'activated' : what === 'offer' ? 'offered' : 'withdrawn';
}

const query = later(() => z.object({ done: z.string().max(10).optional() }));

/** The processors with what they are used for, and what all of them have in common. */
export const paymentPage = (group: Group): Page =>
  page({
    ...shared,
    help,
    path: group.path,
    title: group.label,
    query,
    form: later(() =>
      formOf(group).extend({ processor: z.string().max(30).optional(), todo: todo.optional() }),
    ),
    async show(ctx, { query: { done = '' } }) {
      const processors = (await setup.list(ctx)).map((one) => ({
        ...one,
        href: pathOf(group, one.id),
        hasPage: one.id !== 'fake',
      }));
      const model = groupModel(ctx, group, done);
      return show(
        'store/settings-payment',
        { ...model, done: DONE[done] ?? model.done, processors },
        { values: valuesOf(ctx, group) },
      );
    },
    async submit(ctx, { form: { processor, todo: what, ...form } }) {
      if (processor === undefined || what === undefined)
        return goTo(`${group.path}?done=${await act(ctx, group, form)}`);
      requireWrite(ctx);
      return goTo(`${group.path}?done=${await carryOut(ctx, processor, what)}`);
    },
  });

const pathOf = (group: Group, id: string): string => `${group.path}/${id}`;

/** The settings that the form of a processor has. */
const ownKeys = ({ id, fields }: Processor): readonly string[] =>
  id === 'offline'
    ? [offlineInstructions.key, offlinePaymentDays.key]
    : fields.map(({ setting }) => setting.key);

/** The form of one processor, what to register at it, and a button that tries its keys. */
function processorPage(payment: Group, processor: Processor): Page {
  const { id, name } = processor;
  const group: Group = {
    name: 'payment',
    path: pathOf(payment, id),
    label: name,
    about: '',
    keys: ownKeys(processor),
  };
  const shown = async (
    ctx: Ctx,
    done: string,
    tried: { ok: boolean; message: string } | null,
  ): Promise<Shown> => {
    const view = await setup.get(ctx, id);
    const model = groupModel(ctx, group, done);
    return show(
      'store/settings-processor',
      { ...model, done: DONE[done] ?? model.done, processor: view, up: payment.path, tried },
      { values: valuesOf(ctx, group) },
    );
  };
  return page({
    ...shared,
    help,
    path: group.path,
    title: name,
    query,
    form: formOf(group).extend({ todo: z.enum([...todo.options, 'test']).optional() }),
    show: (ctx, { query: { done = '' } }) => shown(ctx, done, null),
    async submit(ctx, { form: { todo: what, ...form } }) {
      if (what === undefined) return goTo(`${group.path}?done=${await act(ctx, group, form)}`);
      requireWrite(ctx);
      await settings.refresh(ctx);
      if (what === 'test') return shown(ctx, '', await setup.test(ctx, id));
      return goTo(`${group.path}?done=${await carryOut(ctx, id, what)}`);
    },
  });
}

/** A page for each processor that has something to fill in. */
export const processorPages = (payment: Group): readonly Page[] =>
  configuredProcessors.map((processor) => processorPage(payment, processor));
