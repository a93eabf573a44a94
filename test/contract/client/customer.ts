// A customer's way by the generated client, from the registration to the removal of the account.
import { browser, type Options, refusalOf, staffOf } from './sessions.ts';

type Person = { readonly email: string; readonly password: string };

const HOME = {
  first_name: 'Bob',
  last_name: 'Miller',
  line1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postal_code: '62701',
  country: 'US',
};

/** @param person who is to have an account @returns what that person does, at one browser */
export async function customer({ baseUrl }: Options, { email, password }: Person) {
  const { api, renew } = await browser(baseUrl);

  /** @returns whether the address must be proven first */
  async function register(): Promise<boolean> {
    const body = { email, password, first_name: HOME.first_name, last_name: HOME.last_name };
    const { verification_required } = (await api.postShopAuthRegister(body)).data.data;
    await renew();
    return verification_required;
  }

  /** @param token of the mailed link */
  const verify = async (token: string): Promise<string> =>
    (await api.postShopAuthVerifyEmail({ token })).data.data.email;

  async function signIn(): Promise<string> {
    const { data } = (await api.postShopAuthLogin({ email, password })).data;
    if ('two_factor_required' in data) throw new Error('nobody has set up a second factor');
    await renew();
    return data.customer.email;
  }

  /** Buys two of a product, sent to an address of the address book. */
  async function order(slug: string): Promise<string> {
    await api.postShopAddresses({ ...HOME, is_default_shipping: true });
    const [variant] = (await api.getShopProductsSlug(slug)).data.data.variants;
    await api.postStoreCartAdd({ variant_id: variant?.id ?? '', quantity: 2 });
    const [saved] = (await api.getShopAddresses()).data.data;
    const { first_name, last_name, line1, city, state, postal_code, country } = saved ?? HOME;
    const shipping_address = {
      name: `${first_name} ${last_name}`,
      line1,
      city,
      state,
      postal_code,
      country,
    };
    await api.postStoreCheckoutAddresses({ shipping_address });
    const [method] = (await api.getStoreCheckoutShippingMethods()).data.data;
    const placed = await api.postStoreCheckout({
      shipping_address,
      shipping_method_id: method?.id ?? '',
      processor: 'offline',
    });
    return String(placed.data.data.order.order_number);
  }

  /** Asks to send one unit back. */
  async function sendBack(number: string): Promise<string> {
    const reasons = (await api.getShopReturnReasons()).data.data;
    const reason = reasons.find(({ requires_note, requires_photo }) => !requires_note && !requires_photo);
    const [item] = (await api.getShopOrdersOrderNumberReturnable(number)).data.data;
    const { return_number } = (
      await api.postShopReturns({
        order_number: number,
        items: [{ order_item_id: item?.order_item_id ?? '', quantity: 1, reason_id: reason?.id ?? '' }],
        resolution: 'refund',
      })
    ).data.data;
    return return_number;
  }

  /** What the customer sees of a return. */
  async function seen(returnNumber: string) {
    const { status, refund } = (await api.getShopReturnsReturnNumber(returnNumber)).data.data;
    return { status, refunded: refund?.amount_cents };
  }

  /** The copy of everything that is known of the person. */
  const data = async (): Promise<string> =>
    (await api.getShopAccountExport({ format: 'text' })).data as never;

  const erase = async (): Promise<boolean> =>
    (await api.deleteShopAccount({ password, confirm: 'DELETE' })).data.data.deleted;

  /** What the account answers when somebody is not signed in (any more). */
  const refused = () => refusalOf(() => api.getShopAccount());

  /** What a further sign-in answers. */
  async function signInRefused() {
    await renew();
    return refusalOf(() => api.postShopAuthLogin({ email, password }));
  }

  return { register, verify, signIn, order, sendBack, seen, data, erase, refused, signInRefused };
}

/** Staff approve a return, note that it came in good order, and give the money back. */
export async function takeBack(
  options: Options,
  returnNumber: string,
): Promise<{ statuses: string[]; refunded: number | undefined }> {
  const staff = staffOf(options);
  const { id } = (await staff.getStoreReturnsId(returnNumber)).data.data;
  const approved = (await staff.postStoreReturnsIdApprove(id, { instructions: 'Wrap it well.' })).data.data;
  const items = approved.items.map((item) => ({
    id: item.id,
    received_quantity: 1,
    condition: 'new' as const,
  }));
  const received = (await staff.postStoreReturnsIdReceive(id, { items })).data.data;
  const refunded = (await staff.postStoreReturnsIdRefund(id, { to: 'offline' })).data.data;
  return {
    statuses: [approved, received, refunded].map(({ status }) => status),
    refunded: refunded.refund?.amount_cents,
  };
}
