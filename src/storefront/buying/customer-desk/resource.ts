import { z } from 'zod';
import { later } from '#kernel/sharing.ts';
import { action, adminResource, answering } from '#platform/admin/index.ts';
import type { Permission } from '#platform/permissions/index.ts';
import { sendInvite, sendReset } from '#storefront/people/accounts/index.ts';
import { type Customer, StoreCustomerView, storeCustomerViews } from '#storefront/people/customers/index.ts';
import { eraseCustomer } from '#storefront/people/privacy/index.ts';
import * as desk from './customers.ts';
import { merge } from './merge.ts';
import { customerRows } from './queries.ts';
import {
  CustomerCreate,
  CustomerUpdate,
  Disabling,
  Grouping,
  Merging,
  Resetting,
  Tagging,
} from './schemas.ts';
import { customerScreen } from './screen.ts';
import { customerDetails, StoreCustomerDetailsView } from './view.ts';

const needs = { read: 'customers:read', write: 'customers:write' } as const;
/** Of an action on one customer. */
const common = { needs: needs.write, where: 'row' } as const;
const Bare = later(() => z.strictObject({}));
const Sent = later(() => z.object({ sent: z.literal(true) }).meta({ id: 'CustomerLinkSent' }));
const Reset = later(() => z.object({ reset: z.literal(true) }).meta({ id: 'CustomerTwoFactorReset' }));

const isKnown = ({ status }: Customer): boolean => status !== 'anonymised';
const hasAccount = (one: Customer): boolean => isKnown(one) && !one.isGuest;

/** What staff do with customers (storefront-api.md, X). */
export const customerResource = adminResource<Customer, typeof CustomerCreate, typeof CustomerUpdate>({
  name: 'shop-customers',
  labels: { one: 'customer', many: 'customers' },
  about: 'Customers with an account, and guests who have ordered',
  needs,
  screen: customerScreen,
  rows: customerRows,
  create: {
    schema: CustomerCreate,
    summary: 'Add a customer with an account',
    run: (ctx, input) => desk.create(ctx, input),
  },
  edit: {
    schema: CustomerUpdate,
    hasVersion: false,
    summary:
      'Change a customer; fields that are not sent stay as they are, lists that are sent replace the existing ones',
    run: (ctx, id, input) => desk.change(ctx, id, input),
  },
  remove: {
    level: 'severe',
    summary: 'Permanently erase a customer; orders and amounts stay',
    preview: async () => [
      'Name, addresses, phone, notes and sessions are permanently erased. Orders, invoices and amounts stay.',
    ],
    run: async (ctx, id) => void (await eraseCustomer(ctx, id)),
  },
  actions: {
    disable: action<Customer, typeof Disabling>({
      ...common,
      where: 'both',
      label: 'Disable',
      summary: "Disable a customer's account and end its sessions",
      level: 'moderate',
      input: Disabling,
      when: (one) => hasAccount(one) && one.status === 'active',
      run: (ctx, id, { reason }) => desk.disable(ctx, id, reason),
    }),
    enable: action<Customer, typeof Bare>({
      ...common,
      where: 'both',
      label: 'Enable',
      summary: 'Let a customer sign in again',
      level: 'mild',
      input: Bare,
      when: ({ status }) => status === 'disabled',
      run: (ctx, id) => desk.enable(ctx, id),
    }),
    'reset-2fa': answering<Customer, typeof Reset, typeof Resetting>({
      needs: 'users:write' satisfies Permission,
      where: 'row',
      label: 'Reset two-factor sign-in',
      summary: 'Turn off two-factor sign-in for a customer who lost access to it',
      level: 'moderate',
      input: Resetting,
      output: Reset,
      when: hasAccount,
      run: async (ctx, id, { reason }) => {
        await desk.resetSecondFactor(ctx, id, reason);
        return { reset: true };
      },
    }),
    'send-reset': answering<Customer, typeof Sent>({
      ...common,
      label: 'Send password reset',
      summary: 'Email the customer a link to choose a new password',
      level: 'mild',
      output: Sent,
      when: (one) => hasAccount(one) && one.status === 'active',
      run: async (ctx, id) => {
        await sendReset(ctx, (await desk.get(ctx, id)).id);
        return { sent: true };
      },
    }),
    'send-invite': answering<Customer, typeof Sent>({
      ...common,
      label: 'Send invitation',
      summary: 'Email a customer without a password a link to choose one',
      level: 'mild',
      output: Sent,
      when: (one) => hasAccount(one) && one.status === 'active' && one.lastLoginAt === null,
      run: async (ctx, id) => {
        await sendInvite(ctx, (await desk.get(ctx, id)).id);
        return { sent: true };
      },
    }),
    tags: action<Customer, typeof Tagging>({
      ...common,
      where: 'both',
      label: 'Change tags',
      summary: 'Add tags to customers or remove them',
      level: 'mild',
      input: Tagging,
      when: isKnown,
      run: desk.retag,
    }),
    'join-group': action<Customer, typeof Grouping>({
      ...common,
      where: 'both',
      label: 'Add to group',
      summary: 'Add customers to a group without a rule',
      level: 'mild',
      input: Grouping,
      when: isKnown,
      run: (ctx, id, { groupId }) => desk.join(ctx, id, groupId),
    }),
    'leave-group': action<Customer, typeof Grouping>({
      ...common,
      where: 'both',
      label: 'Remove from group',
      summary: 'Remove customers from a group without a rule',
      level: 'mild',
      input: Grouping,
      when: isKnown,
      run: (ctx, id, { groupId }) => desk.leave(ctx, id, groupId),
    }),
    merge: action<Customer, typeof Merging>({
      ...common,
      label: 'Merge',
      summary:
        'Merge another customer into this one. Orders, addresses, cart, notes, groups and gift cards move here, and the other customer is erased',
      level: 'severe',
      input: Merging,
      when: isKnown,
      run: (ctx, id, { sourceId }) => merge(ctx, id, sourceId),
    }),
  },
  palette: {
    title: ({ email }) => email,
    hint: ({ firstName, lastName, isGuest }) =>
      [firstName, lastName, isGuest ? '(guest)' : null].filter(Boolean).join(' ') || null,
  },
  apis: [
    {
      surface: 'store',
      path: '/customers',
      item: 'customer',
      type: 'StoreCustomer',
      view: StoreCustomerView,
      toViews: storeCustomerViews,
      details: { view: StoreCustomerDetailsView, toView: customerDetails },
      answers: 'details',
    },
  ],
});
