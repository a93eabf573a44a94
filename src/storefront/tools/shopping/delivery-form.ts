import type { FormRefusal } from '#kernel/http/page.ts';
import { refuseForm } from '#kernel/http/page.ts';
import type { CartPrice } from '#storefront/buying/cart/index.ts';
import type { DeliverySent } from '#storefront/buying/checkout/index.ts';
import {
  ADDRESS_FIELDS,
  type Address,
  type AddressSent,
  faultsOf,
  fullName,
} from '#storefront/contract/address.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import type { ShopWords } from '../shop/index.ts';

/** The form of the checkout, as texts. */
export type DeliveryForm = Readonly<Record<string, string>>;

const addressIn = (form: DeliveryForm, prefix: string): AddressSent =>
  Object.fromEntries(
    ADDRESS_FIELDS.map((name) => [name, form[prefix + name]?.trim() ?? '']).filter(
      ([, value]) => value !== '',
    ),
  );

/** What the form holds before somebody fills it in: of the cart. */
export function deliveryValues({ cart }: CartPrice, country: string): Record<string, string> {
  const of = (prefix: string, address: Address | null): Record<string, string> => ({
    [`${prefix}name`]: address ? fullName(address) : '',
    [`${prefix}company`]: address?.company ?? '',
    [`${prefix}line1`]: address?.line1 ?? '',
    [`${prefix}line2`]: address?.line2 ?? '',
    [`${prefix}postal_code`]: address?.postalCode ?? '',
    [`${prefix}city`]: address?.city ?? '',
    [`${prefix}state`]: address?.state ?? '',
    [`${prefix}country`]: address?.country ?? country,
    [`${prefix}phone`]: address?.phone ?? '',
  });
  return {
    email: cart.email ?? '',
    ...of('', cart.shippingAddress),
    ...of('billing_', cart.billingAddress),
    other_billing: cart.billingAddress ? '1' : '',
    accepts_marketing: cart.acceptsMarketing ? '1' : '',
    note: cart.note ?? '',
    method: cart.shippingMethodId ?? '',
  };
}

/**
 * What somebody filled in, as the checkout takes it.
 *
 * @param needsShipping otherwise the address has only a country
 * @throws FormRefusal in the language of the page, with a text for each field
 */
export function deliveryIn(form: DeliveryForm, needsShipping: boolean, { t }: ShopWords): DeliverySent {
  const only = needsShipping ? 'all' : 'country';
  const fields: Record<string, string> = {};
  if (!shopperEmail().safeParse(form.email ?? '').success) fields.email = t('form.email_invalid');
  const shipping = addressIn(form, '');
  const isOther = needsShipping && form.other_billing === '1';
  const billing = isOther ? addressIn(form, 'billing_') : undefined;
  const note = (sent: AddressSent, prefix: string): void => {
    for (const { field, isMissing } of faultsOf(sent, only))
      fields[prefix + field] = isMissing
        ? `${t(`checkout.${field}`)}: ${t('form.required')}`
        : t(`form.${field}_invalid`);
  };
  note(shipping, '');
  if (billing) note(billing, 'billing_');
  if (Object.keys(fields).length > 0) throw refuse(fields);
  return {
    email: form.email ?? '',
    phone: form.phone ?? '',
    accepts_marketing: form.accepts_marketing === '1',
    shipping_address: shipping,
    ...(billing ? { billing_address: billing } : { same_as_shipping: true }),
    ...(form.method && { shipping_method_id: form.method }),
    note: form.note ?? '',
  };
}

const refuse = (fields: Record<string, string>): FormRefusal =>
  refuseForm(Object.values(fields)[0] ?? '', fields);
