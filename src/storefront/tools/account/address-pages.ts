import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, text } from '#kernel/http/fields.ts';
import { type FormRefusal, goTo, type Page, page, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import {
  ADDRESS_FIELDS,
  type AddressSent,
  addressLines,
  faultsOf,
  fullName,
} from '#storefront/contract/address.ts';
import { statesOf } from '#storefront/contract/countries.ts';
import { countriesIn } from '#storefront/contract/country-names.ts';
import { defaultCountry } from '#storefront/contract/settings.ts';
import * as book from '#storefront/people/addresses/index.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { type ShopWords, wordsOf } from '../shop/index.ts';
import { AccountQuery, accountPage, shownAccount } from './frame.ts';
import { ACCOUNT } from './nav.ts';
import { doneAt } from './own-pages.ts';
import { inWords, refuseWith } from './refusals.ts';

export const ADDRESSES = `${ACCOUNT}/addresses`;
const MOST = 1000;

const Query = AccountQuery.extend({ done: z.literal('1').optional().catch(undefined) });
const Params = z.object({ id: text({ min: 1, max: 30 }) });
const names = ['label', ...ADDRESS_FIELDS, 'is_default_shipping', 'is_default_billing'];
const Form = later(() =>
  z.object(Object.fromEntries(names.map((name) => [name, text({ max: MOST }).default('')]))),
);
type Sent = Readonly<Record<string, string>>;

/** The address book (shop-pages 2.6). */
const listPage = page({
  ...accountPage,
  path: ADDRESSES,
  title: 'Your addresses',
  query: Query,
  async show(ctx, { query, visitor }) {
    const all = await book.addressesOf(ctx, customerIdOf(ctx));
    return shownAccount(ctx, visitor, {
      view: 'shop/account-addresses',
      path: ADDRESSES,
      title: 'account.addresses',
      lang: query.lang,
      data: ({ lang }) => ({
        isDone: query.done !== undefined,
        addresses: all.map((one) => ({
          path: `${ADDRESSES}/${one.id}`,
          label: one.label,
          lines: [...addressLines(one, lang), ...(one.phone ? [one.phone] : [])],
          isShipping: one.isDefaultShipping,
          isBilling: one.isDefaultBilling,
        })),
        isFull: all.length >= book.MOST_ADDRESSES,
      }),
    });
  },
});

interface Asked {
  readonly query: z.output<typeof Query>;
  readonly visitor: Visitor;
}

const shownForm = (
  ctx: Ctx,
  { query, visitor }: Asked,
  path: string,
  values: Readonly<Record<string, string>>,
): Promise<Shown> =>
  shownAccount(ctx, visitor, {
    view: 'shop/account-address',
    path,
    title: path.endsWith('/new') ? 'account.address_new' : 'account.address',
    lang: query.lang,
    data: ({ lang }) => ({
      back: ADDRESSES,
      countries: countriesIn(lang),
      states: statesOf(values.country ?? ''),
      hasCompany: Boolean(values.company || values.line2 || values.phone),
    }),
    values,
  });

const valuesOf = (one: book.CustomerAddress): Record<string, string> => ({
  label: one.label ?? '',
  name: fullName(one),
  company: one.company ?? '',
  line1: one.line1,
  line2: one.line2 ?? '',
  city: one.city,
  state: one.state ?? '',
  postal_code: one.postalCode ?? '',
  country: one.country,
  phone: one.phone ?? '',
  is_default_shipping: one.isDefaultShipping ? '1' : '',
  is_default_billing: one.isDefaultBilling ? '1' : '',
});

/** What was filled in. @throws FormRefusal in the language of the page, with a text for each field */
function addressIn(form: Sent, { t }: ShopWords): book.AddressWanted {
  const place: AddressSent = Object.fromEntries(
    ADDRESS_FIELDS.map((name) => [name, form[name]?.trim() ?? '']),
  );
  const faults = faultsOf(place).map(({ field, isMissing }) => [
    field,
    isMissing ? `${t(`checkout.${field}`)}: ${t('form.required')}` : t(`form.${field}_invalid`),
  ]);
  if (faults.length > 0) throw refused(Object.fromEntries(faults));
  return {
    ...place,
    label: form.label ?? '',
    ...(form.is_default_shipping === '1' && { is_default_shipping: true }),
    ...(form.is_default_billing === '1' && { is_default_billing: true }),
  };
}

const refused = (fields: Readonly<Record<string, string>>): FormRefusal =>
  refuseWith(Object.values(fields)[0] ?? '', fields);

const newPage = page({
  ...accountPage,
  path: `${ADDRESSES}/new`,
  title: 'New address',
  query: Query,
  form: Form,
  show: (ctx, asked) =>
    shownForm(ctx, asked, `${ADDRESSES}/new`, { country: ctx.settings.get(defaultCountry) }),
  async submit(ctx, { form, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const wanted = addressIn(form as Sent, words);
    await inWords(words, () => book.addAddress(ctx, customerIdOf(ctx), wanted));
    return goTo(doneAt(ADDRESSES, query.lang));
  },
});

const editPage = page({
  ...accountPage,
  path: `${ADDRESSES}/{id}`,
  title: 'Address',
  params: Params,
  query: Query,
  form: Form,
  async show(ctx, { params, ...asked }) {
    const one = await book.getAddress(ctx, customerIdOf(ctx), params.id);
    return shownForm(ctx, asked, `${ADDRESSES}/${one.id}`, valuesOf(one));
  },
  async submit(ctx, { params, form, query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const wanted = addressIn(form as Sent, words);
    await inWords(words, () => book.changeAddress(ctx, customerIdOf(ctx), params.id, wanted));
    return goTo(doneAt(ADDRESSES, query.lang));
  },
});

const act = { ...accountPage, params: Params, query: Query } as const;

const removePage = page({
  ...act,
  path: `${ADDRESSES}/{id}/remove`,
  title: 'Address',
  form: z.object({}),
  show: async (_ctx, { params }) => goTo(`${ADDRESSES}/${params.id}`),
  async submit(ctx, { params, query }) {
    await book.removeAddress(ctx, customerIdOf(ctx), params.id);
    return goTo(doneAt(ADDRESSES, query.lang));
  },
});

const defaultPage = page({
  ...act,
  path: `${ADDRESSES}/{id}/default`,
  title: 'Address',
  form: z.object({ kind: oneOf(book.ADDRESS_KINDS) }),
  show: async (_ctx, { params }) => goTo(`${ADDRESSES}/${params.id}`),
  async submit(ctx, { params, query, form }) {
    await book.makeDefault(ctx, customerIdOf(ctx), params.id, form.kind);
    return goTo(doneAt(ADDRESSES, query.lang));
  },
});

export const addressPages: readonly Page[] = [listPage, newPage, editPage, removePage, defaultPage];
