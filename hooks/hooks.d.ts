/** Types of hooks. This file is not loaded: import types from it, `import type { Hooks } from './hooks.d.ts'`. */

export interface Actor {
  /** `guest`, `customer`, `staff`, `api_key`, `system` … */
  readonly kind: string;
  readonly id: string | null;
  readonly label: string | null;
}

export interface About<E extends string = string> {
  /** As you subscribed to it. */
  readonly event: E;
  readonly actor: Actor;
}

export interface Address {
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly company: string | null;
  readonly line1: string;
  readonly line2: string | null;
  readonly city: string;
  readonly state: string | null;
  readonly postal_code: string | null;
  /** Two letters, such as DE. */
  readonly country: string;
  readonly phone: string | null;
}

/** An order about to be created. */
export interface NewOrder {
  readonly source: 'web' | 'admin' | 'api';
  readonly processor: string | null;
  readonly customer_id: string | null;
  /** May change, as the six below. */
  readonly email: string | null;
  readonly phone: string | null;
  readonly note: string | null;
  readonly shipping_address: Address | null;
  /** null: the shipping address. */
  readonly billing_address: Address | null;
  /** May change only at checkout. */
  readonly shipping_method_id: string | null;
  readonly locale: string | null;
  readonly currency: string;
  readonly codes: readonly string[];
  readonly items: readonly {
    readonly variant_id: string;
    readonly product_id: string;
    readonly sku: string;
    readonly title: string;
    readonly type: string;
    readonly quantity: number;
    readonly unit_cents: number;
    readonly total_cents: number;
  }[];
  /** Calculated from the rest: returned values are ignored. */
  readonly totals: {
    readonly subtotal_cents: number;
    readonly discount_cents: number;
    readonly shipping_cents: number;
    readonly tax_cents: number;
    readonly total_cents: number;
    readonly due_cents: number;
  };
}

/** An order, as webhooks receive it: see the API reference of the shop for all fields. */
export interface Order {
  readonly id: string;
  readonly order_number: string | null;
  readonly status: string;
  readonly payment_status: string;
  readonly fulfillment_status: string;
  readonly email: string;
  readonly total_cents: number;
  readonly currency: string;
  readonly addresses: { readonly shipping: Address | null; readonly billing: Address | null };
  readonly items: readonly { readonly sku: string; readonly title: string; readonly quantity: number }[];
  readonly [field: string]: unknown;
}

export interface OrderUpdate {
  readonly action: 'edit' | 'change' | 'hold' | 'release' | 'cancel';
  readonly order: Order;
  readonly reason?: string;
  readonly [field: string]: unknown;
}

/** A customer who registers, or whom staff create. */
export interface NewCustomer {
  readonly email: string;
  /** May change, as the three below. */
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly phone: string | null;
  readonly tags: readonly string[];
  readonly locale: string | null;
  readonly accepts_marketing: boolean;
}

export interface Product {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

/** A return that somebody asks for. */
export interface NewReturn {
  readonly by: 'customer' | 'staff';
  readonly order: Order;
  readonly items: readonly {
    readonly order_item_id: string;
    readonly quantity: number;
    readonly reason_id: string;
    readonly note: string | null;
  }[];
  /** May change. */
  readonly resolution: 'refund' | 'store_credit' | 'exchange';
  readonly exchange_variant_id: string | null;
}

/** A return, as webhooks receive it: see the API reference of the shop for all fields. */
export interface Return {
  readonly id: string;
  readonly return_number: string;
  readonly order_id: string;
  readonly order_number: string | null;
  readonly status:
    | 'requested'
    | 'approved'
    | 'in_transit'
    | 'received'
    | 'completed'
    | 'rejected'
    | 'cancelled'
    | 'expired';
  readonly resolution: 'refund' | 'store_credit' | 'exchange';
  readonly currency: string;
  readonly items: readonly {
    readonly id: string;
    readonly order_item_id: string;
    readonly sku: string;
    readonly title: string;
    readonly quantity: number;
    readonly approved_quantity: number;
    readonly received_quantity: number;
    /** In words, as the customer chose it. */
    readonly reason: string;
    readonly note: string | null;
    /** What its units are worth, before a restocking fee. */
    readonly refund_cents: number;
  }[];
  readonly instructions: string | null;
  readonly return_by: string | null;
  readonly [field: string]: unknown;
}

/** A return that is about to be approved. */
export interface ReturnApproval {
  readonly return: Return;
  /** If missing: everything that was requested. */
  readonly items?: readonly { readonly id: string; readonly approved_quantity: number }[];
  /** May change, as the one below. */
  readonly instructions: string | null;
  /** The date by which the goods must be sent: 2026-03-31T00:00:00.000Z. */
  readonly return_by: string | null;
}

/** A customer, as webhooks receive it: see the API reference of the shop for all fields. */
export interface Customer {
  readonly id: string;
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly phone: string | null;
  readonly tags: readonly string[];
  readonly [field: string]: unknown;
}

export interface LowStock {
  readonly variant: {
    readonly id: string;
    readonly sku: string;
    readonly title: string;
    readonly product_id: string;
  };
  readonly available: number;
  readonly threshold: number;
}

/** What was sent: see the API reference of the shop. */
export interface Fields {
  readonly [field: string]: unknown;
}

/** What before-hooks are given. */
export interface Before {
  'before:order.create': NewOrder;
  'before:order.update': OrderUpdate;
  'before:order.shipped': Order;
  'before:order.completed': Order;
  'before:product.created': Fields;
  'before:product.updated': { readonly product: Product; readonly [field: string]: unknown };
  'before:customer.created': NewCustomer;
  'before:return.requested': NewReturn;
  'before:return.approved': ReturnApproval;
  'before:inventory.low_stock': LowStock;
}

interface Told {
  /** The same in each repetition of the same call. */
  readonly event_id: string;
}

/** What after-hooks are given: `data` of the webhook. */
export interface After {
  'after:order.create': Order & Told;
  'after:order.update': Order & Told;
  'after:order.shipped': Order & Told;
  'after:order.completed': Order & Told;
  'after:product.created': Product & Told;
  'after:product.updated': Product & Told;
  'after:customer.created': Customer & Told;
  'after:return.requested': Return & Told;
  'after:return.approved': Return & Told;
  'after:inventory.low_stock': LowStock & Told;
}

export interface Hooks {
  /** May return the payload with changed fields, or throw a HookError. Five seconds. */
  on<E extends keyof Before>(
    event: E,
    hook: (
      payload: Before[E],
      about: About<E>,
    ) => Partial<Before[E]> | void | Promise<Partial<Before[E]> | void>,
  ): void;
  /** Runs after the change is committed, at least once. Ten seconds. */
  on<E extends keyof After>(event: E, hook: (payload: After[E], about: About<E>) => unknown): void;
  /** Thrown by a before-hook, it refuses the action with this message. */
  readonly HookError: new (
    message: string,
  ) => Error;
}
