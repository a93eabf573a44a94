import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { ADDRESS_FIELDS, type Address, fullName } from '#storefront/contract/address.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import * as orders from '../orders/index.ts';
import { change } from './change.ts';
import { orderPath, orRefused } from './refused.ts';
import type { OrderAddressSent } from './schemas.ts';

const line = () => text({ max: 200, trim: true }).default('');
const KINDS = ['shipping', 'billing'] as const;

const AddressForm = later(() =>
  z.object({
    email: text({ max: 255, trim: true }),
    ...Object.fromEntries(KINDS.flatMap((kind) => ADDRESS_FIELDS.map((name) => [`${kind}_${name}`, line()]))),
  }),
);
type Sent = Readonly<Record<string, string>>;

const typed = (one: Address | null): Record<(typeof ADDRESS_FIELDS)[number], string> => ({
  name: one ? fullName(one) : '',
  company: one?.company ?? '',
  line1: one?.line1 ?? '',
  line2: one?.line2 ?? '',
  city: one?.city ?? '',
  state: one?.state ?? '',
  postal_code: one?.postalCode ?? '',
  country: one?.country ?? '',
  phone: one?.phone ?? '',
});

/** The address of a kind as it was typed; undefined for one that was left as it is, or empty. */
function sentOf(sent: Sent, kind: (typeof KINDS)[number], had: Address | null): OrderAddressSent | undefined {
  const before = typed(had);
  const now = Object.fromEntries(ADDRESS_FIELDS.map((name) => [name, sent[`${kind}_${name}`] ?? '']));
  if (ADDRESS_FIELDS.every((name) => now[name] === before[name])) return undefined;
  const { postal_code: postalCode, ...same } = now;
  return { ...same, postalCode };
}

const modelOf = (order: orders.Order) => ({
  action: `${orderPath(order.id)}/addresses`,
  after: orderPath(order.id),
  number: order.orderNumber ?? order.id,
});

/** Changes where an order goes and whom it is written to. */
export const addressPage: Page = page({
  path: '/store/orders/{id}/addresses',
  title: 'Addresses',
  audience: { staff: 'orders:write' },
  layout: PANEL,
  help: 'work-on-orders',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: AddressForm,
  async show(ctx, { params: { id } }) {
    const order = await orders.get(ctx, id);
    const whole = await orders.whole(ctx, order);
    const values = Object.fromEntries(
      KINDS.flatMap((kind) =>
        Object.entries(typed(whole[kind])).map(([name, value]) => [`${kind}_${name}`, value]),
      ),
    );
    return show('store/order-addresses', modelOf(order), { values: { ...values, email: order.email } });
  },
  async submit(ctx, { params: { id }, form }) {
    const order = await orders.get(ctx, id);
    const whole = await orders.whole(ctx, order);
    const sent = form as Sent;
    const email = shopperEmail().safeParse(sent.email);
    if (!email.success)
      throw refuseForm('Nothing was changed', { email: `“${sent.email}” is not a valid email address` });
    const shippingAddress = sentOf(sent, 'shipping', whole.shipping);
    const billingAddress = sentOf(sent, 'billing', whole.billing);
    await orRefused(() => change(ctx, order.id, { email: email.data, shippingAddress, billingAddress }, {}));
    return goTo(orderPath(order.id));
  },
});
