import { storeScreen, type Tone } from '#platform/admin/index.ts';
import { mailVerdict } from '#platform/mail/index.ts';
import { fullName } from '#storefront/contract/address.ts';
import { money } from '#storefront/orders/desk/index.ts';
import { StoreCustomerView } from '#storefront/people/customers/index.ts';
import { summaryTab } from './summary.ts';

const tones: Readonly<Record<string, Tone>> = { active: 'ok', disabled: 'bad', anonymised: 'muted' };
const status = {
  kind: 'status',
  value: ({ status, hasAccount }: { status: string; hasAccount: boolean }) =>
    status === 'active' && !hasAccount ? 'guest' : status.replace('anonymised', 'anonymized'),
  tone: ({ status, hasAccount }: { status: string; hasAccount: boolean }): Tone =>
    status === 'active' && !hasAccount ? 'muted' : (tones[status] ?? 'muted'),
} as const;

const name = ({ firstName, lastName }: { firstName: string | null; lastName: string | null }): string =>
  fullName({ firstName, lastName });
const names = ({ groups }: { readonly groups: readonly { readonly name: string }[] }): readonly string[] =>
  groups.map((one) => one.name);

/** Customers in the panel. */
export const customerScreen = storeScreen(StoreCustomerView, {
  path: '/store/customers',
  words: 'buyers accounts people',
  area: 'store',
  order: 70,
  goKey: 'c',
  title: ({ email }) => email,
  columns: {
    email: { label: 'Email', sort: 'email' },
    name: { label: 'Name', value: name },
    status,
    orders: { label: 'Orders', kind: 'number', value: ({ orderCount }) => orderCount, sort: 'orders' },
    spent: {
      label: 'Spent',
      kind: 'number',
      value: ({ spentCents, currency }) => money(spentCents, currency),
      sort: 'spent',
    },
    groups: { kind: 'tags', value: names },
    tags: { kind: 'tags' },
    acceptsMarketing: { label: 'Marketing' },
    lastLoginAt: { label: 'Last sign-in', kind: 'ago' },
    createdAt: { label: 'Since', kind: 'date', sort: 'created' },
    updatedAt: { label: 'Changed', kind: 'date', sort: 'updated', hidden: true },
  },
  facts: {
    status,
    name: { label: 'Name', value: name },
    email: { label: 'Email' },
    emailVerified: { label: 'Email confirmed' },
    phone: {},
    locale: { label: 'Language', kind: 'code' },
    acceptsMarketing: { label: 'Accepts marketing' },
    twoFactorEnabled: { label: 'Two-factor sign-in' },
    groups: { kind: 'tags', value: names },
    tags: { kind: 'tags' },
    taxExempt: { label: 'Tax-exempt' },
    taxId: { label: 'Tax ID', kind: 'code' },
    mergedIntoId: {
      label: 'Merged into',
      kind: 'code',
      link: ({ mergedIntoId }) => (mergedIntoId === null ? null : `/store/customers/${mergedIntoId}`),
    },
    lastLoginAt: { label: 'Last sign-in', kind: 'date' },
    createdAt: { label: 'Since', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  labels: {
    firstName: 'First name',
    lastName: 'Last name',
    locale: 'Language',
    acceptsMarketing: 'Accepts marketing',
    groupIds: 'Groups',
    taxExempt: 'Tax-exempt',
    taxId: 'Tax ID',
    groupId: 'Group',
    sendInvite: 'Send an invitation',
    add: 'Add tags',
    remove: 'Remove tags',
  },
  fields: {
    email: { example: 'ann@example.com' },
    locale: { example: 'de', help: 'Language of emails. Leave empty for the shop language.' },
    acceptsMarketing: { help: 'Only if the customer asked for it. Your name is recorded as proof.' },
    groupIds: {
      of: 'customer-groups',
      help: 'Groups with a rule update automatically and cannot be chosen.',
    },
    groupId: { of: 'customer-groups', help: 'A group without a rule.' },
    taxExempt: { help: 'The customer pays no tax.' },
    sendInvite: { help: 'An email with a link to choose a password. It is valid for 7 days.' },
    reason: { help: 'For the audit log.' },
  },
  sections: {
    create: [
      { title: 'Customer', fields: ['email', 'firstName', 'lastName', 'phone', 'locale'] },
      { title: 'Groups and tags', fields: ['groupIds', 'tags', 'acceptsMarketing'] },
      { title: 'Invitation', fields: ['sendInvite'] },
      { title: 'Tax', fields: ['taxExempt', 'taxId'], isRare: true },
    ],
    edit: [
      { title: 'Customer', fields: ['email', 'firstName', 'lastName', 'phone', 'locale'] },
      { title: 'Groups and tags', fields: ['groupIds', 'tags', 'acceptsMarketing'] },
      { title: 'Tax', fields: ['taxExempt', 'taxId'] },
    ],
  },
  values: ({ groups, ...view }) => ({ ...view, groupIds: groups.map(({ id }) => id) }),
  // The page of its own shows both customers before and after.
  without: ['merge'],
  verdicts: {
    'send-reset': async (_answer, ctx) =>
      mailVerdict(ctx, 'The customer gets an email with a link to choose a new password.'),
    'send-invite': async (_answer, ctx) =>
      mailVerdict(ctx, 'The customer gets an email with a link to choose a password.'),
    'reset-2fa': () => ({ text: 'The customer has no two-factor sign-in now.', isGood: true }),
  },
  undo: { disable: 'enable' },
  tabs: {
    summary: {
      label: 'Summary',
      template: 'store/customer-summary',
      load: (ctx, { id }) => summaryTab(ctx, id),
    },
    orders: { label: 'Orders', of: 'shop-customer-orders', named: ({ id }) => ({ customerId: id }) },
    returns: {
      label: 'Returns',
      of: 'shop-returns',
      filters: ({ id }) => ({ customerId: id }),
      empty: 'Returns of this customer appear here.',
    },
    licenses: {
      label: 'Licenses',
      of: 'license-grants',
      filters: ({ id }) => ({ customerId: id }),
      empty: 'Licenses that this customer bought appear here.',
    },
    machines: {
      label: 'Machines',
      of: 'activations',
      filters: ({ email }) => ({ email }),
      empty: "Machines that use this customer's licenses appear here.",
    },
    addresses: { label: 'Addresses', of: 'customer-addresses', named: ({ id }) => ({ customerId: id }) },
    sessions: { label: 'Sessions', of: 'customer-sessions', named: ({ id }) => ({ customerId: id }) },
    consents: { label: 'Consents', of: 'customer-consents', named: ({ id }) => ({ customerId: id }) },
    notes: { label: 'Notes', of: 'customer-notes', named: ({ id }) => ({ customerId: id }) },
    emails: { label: 'Emails', of: 'emails', filters: ({ email }) => ({ to: email }) },
    giftCards: {
      label: 'Gift cards',
      of: 'shop-gift-cards',
      filters: ({ id }) => ({ customerId: id }),
      empty: 'Gift cards that this customer bought or received appear here.',
    },
    merge: {
      label: 'Merge',
      needs: 'customers:write',
      when: ({ status }) => status !== 'anonymised',
      href: ({ id }) => `/store/customers/${id}/merge`,
    },
  },
  views: [
    { name: 'With account', query: 'hasAccount=true' },
    { name: 'Guests', query: 'hasAccount=false' },
    { name: 'Accept marketing', query: 'acceptsMarketing=true' },
    { name: 'Disabled', query: 'status=disabled' },
    { name: 'Anonymized', query: 'erased=true' },
  ],
  links: [
    { label: 'Groups', href: '/store/customer-groups', needs: 'customers:read' },
    { label: 'Import', href: '/store/customers/import', needs: 'customers:write' },
  ],
  empty: {
    text: 'Customers have an account in the shop or ordered as a guest. Add a customer, or wait for the first order.',
    docs: 'customers',
    cli: 'appctl store customer create --email ann@example.com',
  },
});
