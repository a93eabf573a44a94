import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { fullName } from '#storefront/contract/address.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { money } from '#storefront/orders/desk/index.ts';
import {
  type Customer,
  emailNormed,
  storeCustomerViews,
  united,
} from '#storefront/people/customers/index.ts';
import { get } from './customers.ts';
import { merge, requireMergeable } from './merge.ts';
import { customerRows } from './queries.ts';

const itemPath = (id: string): string => `/store/customers/${encodeURIComponent(id)}`;

/** A customer by id or address; the account where a guest has the same one. @throws a refusal of the form */
async function named(ctx: Ctx, typed: string): Promise<Customer> {
  const byId = await customerRows.find(ctx, typed);
  if (byId) return byId;
  const { items } = await customerRows.page(ctx, { q: typed, offset: 0, limit: 50 });
  const same = items.filter(({ email }) => emailNormed(email) === emailNormed(typed));
  const found = same.find(({ isGuest }) => isGuest) ?? same[0];
  if (found) return found;
  throw refuseForm('The customers were not merged', {
    source: `no customer has the ID or email address “${typed.slice(0, 60)}”`,
  });
}

type Side = readonly [label: string, target: string, source: string, after: string];

/** What both have, and what the one who is left has then. */
async function sidesOf(ctx: Ctx, target: Customer, source: Customer): Promise<Side[]> {
  const [one, other] = await storeCustomerViews([target, source], ctx);
  const words = (cents: number) => money(cents, ctx.settings.get(currencyCode));
  const kind = ({ isGuest }: Customer) => (isGuest ? 'guest' : 'account');
  const after = { ...target, ...united(target, source) };
  const names = (some: readonly { readonly name: string }[] = []) =>
    [...new Set(some.map(({ name }) => name))].join(', ');
  const sum = (a = 0, b = 0) => a + b;
  return [
    ['Email', target.email, source.email, target.email],
    ['Kind', kind(target), kind(source), kind(target)],
    ['Name', fullName(target), fullName(source), fullName(after)],
    ['Phone', target.phone ?? '', source.phone ?? '', after.phone ?? ''],
    ['Tags', target.tags.join(', '), source.tags.join(', '), after.tags.join(', ')],
    [
      'Groups',
      names(one?.groups),
      names(other?.groups),
      names([...(one?.groups ?? []), ...(other?.groups ?? [])]),
    ],
    [
      'Orders',
      String(target.orderCount),
      String(source.orderCount),
      String(sum(target.orderCount, source.orderCount)),
    ],
    [
      'Spent',
      words(target.spentCents),
      words(source.spentCents),
      words(sum(target.spentCents, source.spentCents)),
    ],
    [
      'Notes',
      String(one?.notes_count),
      String(other?.notes_count),
      String(sum(one?.notes_count, other?.notes_count)),
    ],
  ];
}

const modelOf = (target: Customer) => ({
  action: `${itemPath(target.id)}/merge`,
  after: itemPath(target.id),
  email: target.email,
  preview: null as object | null,
});

/** @throws a refusal of the form for what the state of the two refuses */
async function orRefused<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || ![400, 404, 409].includes(error.status)) throw error;
    throw refuseForm('The customers were not merged', { source: error.message.replace(/^source_id: /, '') });
  }
}

/** Merges another customer into this one: first what both have and what is left, then the merge, once its address is typed. */
export const mergePage: Page = page({
  path: '/store/customers/{id}/merge',
  title: 'Merge customers',
  audience: { staff: 'customers:write' },
  layout: PANEL,
  help: 'customers',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: later(() =>
    z.object({
      source: text({ max: 255, trim: true }),
      confirm: optional(text({ max: 255, trim: true })),
      do: optional(oneOf(['check', 'apply'])),
    }),
  ),
  show: async (ctx, { params: { id } }) => show('store/customer-merge', modelOf(await get(ctx, id))),
  async submit(ctx, { params: { id }, form }) {
    const target = await get(ctx, id);
    const source = await named(ctx, form.source);
    await orRefused(() => requireMergeable(target, source));
    if (source.id === id)
      throw refuseForm('The customers were not merged', { source: 'is this customer; choose another one' });
    const preview = { source: source.id, confirm: source.email, sides: await sidesOf(ctx, target, source) };
    if (form.do !== 'apply') return show('store/customer-merge', { ...modelOf(target), preview });
    if (emailNormed(form.confirm ?? '') !== emailNormed(source.email))
      return show(
        'store/customer-merge',
        { ...modelOf(target), preview: { ...preview, fault: `Type ${source.email} to merge` } },
        { status: 422 },
      );
    await orRefused(() => merge(ctx, id, source.id));
    return goTo(`${itemPath(id)}?done=merge`);
  },
});
