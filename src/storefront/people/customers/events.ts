import { change, defineEvents, event } from '#kernel/events.ts';
import { type Customer, shopCustomerRecord } from './record.ts';

/** What the timeline keeps: no name and no address, which an erasure would leave there. */
type CustomerTold = Pick<Customer, 'status'>;

type Nothing = Record<never, never>;
interface Seen {
  readonly ip: string | null;
}

/** What happens to customers, by the names that webhooks know (storefront-domain 18), and to their accounts. */
export const shopCustomerEvents = defineEvents(
  'store',
  {
    'customer.created': event<CustomerTold>(),
    'customer.updated': event<CustomerTold>(),
    /** Of somebody without an account: receivers of webhooks are told of accounts alone. */
    'customer.guest_changed': change<CustomerTold>(),
    'customer.signed_in': change<Seen>(),
    'customer.signed_out': change<Seen>(),
    'customer.sign_in_failed': change<Seen & { failures: number; isLocked: boolean }>(),
    'customer.password_changed': change<Seen & { by: 'oneself' | 'link' | 'staff' }>(),
    'customer.two_factor_enabled': change<Nothing>(),
    'customer.two_factor_disabled': change<Nothing>(),
    'customer.recovery_codes_renewed': change<Nothing>(),
    /** Orders that were placed as a guest with the same address are the customer's now. */
    'customer.orders_claimed': change<{ orders: number; guestId: string }>(),
    'customer.sessions_ended': change<{ sessions: number }>(),
    /** Told of the customer who is left, with the one who is none any more. */
    'customer.merged': change<{ readonly source_id: string; readonly orders: number }>(),
    'customer.noted': change<Nothing>(),
    'customer.note_removed': change<Nothing>(),
    'customer.two_factor_reset': change<Nothing>(),
    /** Staff changed the address book; what it says is not told. */
    'customer.address_changed': change<{
      readonly address_id: string;
      readonly done: 'added' | 'changed' | 'removed';
    }>(),
    'customer.link_sent': change<{ readonly link: 'password_reset' | 'invite' }>(),
  },
  { target: 'shop-customers', record: shopCustomerRecord },
);
