// Stripe on this machine: as much of its API as the shop calls, for the real SDK.
import Stripe from 'stripe';
import {
  type Answer,
  type Call,
  type Delivery,
  deliver,
  type Loopback,
  type LoopbackOptions,
  openLoopback,
} from './loopback.ts';
import { type Fields, failure, type Intent, type Page, StripeWorld } from './stripe-world.ts';

export const STRIPE_KEYS = {
  stripe_publishable_key: 'pk_test_loopback',
  stripe_secret_key: 'sk_test_loopback_0001',
  stripe_webhook_secret: 'whsec_loopback_0001',
};

/** `a[b][0]=c` as an object; lists become objects with their indexes. */
function nested(params: URLSearchParams): Record<string, Fields | string> {
  const result: Fields = {};
  for (const [name, value] of params) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '');
    let at = result;
    for (const part of path.slice(0, -1)) {
      at[part] ??= {};
      at = at[part] as Fields;
    }
    at[path.at(-1) as string] = value;
  }
  return result as Record<string, Fields | string>;
}

const missing = (what: string): Answer =>
  failure(404, { type: 'invalid_request_error', code: 'resource_missing', message: `No such ${what}` });

/** Test cards of Stripe, by the end of their ids. */
const DECLINES: Record<string, string> = {
  chargeDeclined: 'generic_decline',
  chargeDeclinedInsufficientFunds: 'insufficient_funds',
  chargeDeclinedExpiredCard: 'expired_card',
  chargeDeclinedIncorrectCvc: 'incorrect_cvc',
};

export class StripeServer extends StripeWorld {
  readonly #base: Loopback;

  private constructor(base: Loopback, now: () => number) {
    super(now, base.takes);
    this.#base = base;
  }

  static async open({ now = Date.now }: LoopbackOptions = {}): Promise<StripeServer> {
    let self: StripeServer;
    const base = await openLoopback((call) => self.#answer(call), {
      keyOf: ({ method, headers }) =>
        method === 'POST' ? String(headers['idempotency-key'] ?? '') || null : null,
      isMoving: ({ method, path }) => method === 'POST' && path.startsWith('/v1/'),
      ledger: () => ({ charges: self.charges(), balanceCents: self.balanceCents() }),
    });
    self = new StripeServer(base, now);
    return self;
  }

  get url(): string {
    return this.#base.url;
  }
  get calls(): readonly Call[] {
    return this.#base.calls;
  }
  next: Loopback['next'] = (what, count) => this.#base.next(what, count);
  close = (): Promise<void> => this.#base.close();

  /** A notification as Stripe signs it. @param atMs when it is signed */
  signed(event: Fields, secret = STRIPE_KEYS.stripe_webhook_secret, atMs = this.now()): Delivery {
    const body = JSON.stringify(event);
    const header = new Stripe('sk_test_signs').webhooks.generateTestHeaderString({
      payload: body,
      secret,
      timestamp: Math.floor(atMs / 1000),
    });
    return { body, headers: { 'stripe-signature': header } };
  }
  /** Posts the events so far. @param order as tests like it: repeated, reversed, filtered */
  deliver(url: string, order: (events: Fields[]) => Fields[] = (events) => events): Promise<number[]> {
    return deliver(
      url,
      order([...this.events]).map((event) => this.signed(event)),
    );
  }

  #answer(call: Call): Answer {
    const { method, path } = call;
    const place = /^\/(3ds|pay)\/([^/]+)$/.exec(path);
    if (place) return this.#visit(place[1] as string, place[2] as string, call.query);
    if (path === '/v3/') return { status: 200, body: '', headers: { 'content-type': 'text/javascript' } };
    if (call.headers.authorization !== `Bearer ${STRIPE_KEYS.stripe_secret_key}`)
      return failure(401, {
        type: 'invalid_request_error',
        message: 'Invalid API Key provided: sk_test_****',
      });
    const body = nested(method === 'GET' ? call.query : new URLSearchParams(call.raw));
    const [, , what = '', id, verb] = path.replace('/checkout/sessions', '/sessions').split('/');
    if (what === 'payment_intents') return this.#ofIntents(method, id, verb, body);
    if (what === 'sessions') return this.#ofPages(method, id, verb, body);
    if (what === 'refunds') return this.#ofRefunds(method, id, body);
    return missing('path');
  }

  /** The pages that a buyer is sent to. */
  #visit(kind: string, id: string, query: URLSearchParams): Answer {
    const isGivenUp = query.has('cancel');
    if (kind === '3ds') {
      const intent = this.intents.get(id);
      if (!intent) return missing('page');
      if (intent.status === 'requires_action') this.authenticate(id, !isGivenUp);
      return { status: 303, body: '', headers: { location: String(intent.return_url) } };
    }
    const page = this.pages.get(id);
    if (!page) return missing('page');
    if (!isGivenUp && page.status === 'open') this.payOnPage(id);
    return {
      status: 303,
      body: '',
      headers: { location: String(isGivenUp ? page.cancel_url : page.success_url) },
    };
  }

  #ofIntents(method: string, id: string | undefined, verb: string | undefined, body: Fields): Answer {
    if (method === 'POST' && id === undefined) return this.#createIntent(body);
    if (id === undefined || id === 'search') return this.#listIntents(body);
    const intent = this.intents.get(id);
    if (!intent) return missing('payment_intent');
    if (method === 'POST') {
      const fault = this.#changeIntent(intent, verb, body);
      if (fault) return fault;
    }
    return { status: 200, body: intent };
  }

  #createIntent(body: Fields): Answer {
    const amount = Number(body.amount);
    if (amount < 50)
      return failure(400, {
        type: 'invalid_request_error',
        code: 'amount_too_small',
        message: 'Amount too small',
      });
    const card = String(body.payment_method ?? body.confirmation_token)
      .replace(/^pm_card_/, '')
      .replace(/_[A-Z]{2}_\w+$/, '');
    const intent = this.make({
      amount,
      currency: String(body.currency),
      metadata: body.metadata as Record<string, string>,
      capture_method: body.capture_method,
      return_url: body.return_url,
      payment_method: body.payment_method ?? null,
    });
    const decline = this.takes('decline') ? 'generic_decline' : DECLINES[card];
    if (decline) return this.refuse(intent, decline === 'expired_card' ? decline : 'card_declined', decline);
    if (this.takes('pending')) {
      intent.status = 'processing';
      return { status: 200, body: intent };
    }
    if (card === 'authenticationRequired' || this.takes('require_action')) {
      const redirect_to_url = { url: `${this.url}/3ds/${intent.id}`, return_url: body.return_url };
      intent.status = 'requires_action';
      intent.next_action = { type: 'redirect_to_url', redirect_to_url };
      return { status: 200, body: intent };
    }
    this.settle(intent);
    return { status: 200, body: intent };
  }

  #listIntents({ created, query }: Fields): Answer {
    const { gte = 0, lte = Number.POSITIVE_INFINITY } = (created ?? {}) as { gte?: string; lte?: string };
    const wanted = /'([^']+)'$/.exec(String(query ?? ''))?.[1];
    const data = [...this.intents.values()].filter(
      (one) =>
        one.created >= Number(gte) &&
        one.created <= Number(lte) &&
        (wanted === undefined || one.metadata.payment_id === wanted),
    );
    const object = wanted === undefined ? 'list' : 'search_result';
    return {
      status: 200,
      body: { object, data: data.toReversed(), has_more: false, url: '/v1/payment_intents' },
    };
  }

  #changeIntent(intent: Intent, verb: string | undefined, body: Fields): Answer | null {
    const wrong = (message: string) =>
      failure(400, {
        type: 'invalid_request_error',
        code: 'payment_intent_unexpected_state',
        message,
        payment_intent: intent,
      });
    if (verb === 'confirm') {
      if (intent.status !== 'requires_confirmation') return wrong(`cannot be confirmed: ${intent.status}`);
      this.settle(intent);
    } else if (verb === 'capture') {
      if (intent.status !== 'requires_capture') return wrong(`cannot be captured: ${intent.status}`);
      const amount = Number(body.amount_to_capture ?? intent.amount);
      if (amount > intent.amount) return wrong('more than was authorized');
      Object.assign(intent, { status: 'succeeded', amount_received: amount, amount_capturable: 0 });
      this.tell('payment_intent.succeeded', intent);
    } else if (verb === 'cancel') {
      if (intent.status === 'succeeded' || intent.status === 'canceled') return wrong(`is ${intent.status}`);
      Object.assign(intent, { status: 'canceled', next_action: null, amount_capturable: 0 });
      this.tell('payment_intent.canceled', intent);
    }
    return null;
  }

  #ofPages(method: string, id: string | undefined, verb: string | undefined, body: Fields): Answer {
    if (method === 'POST' && id === undefined) return this.#createPage(body);
    if (id === undefined)
      return { status: 200, body: { object: 'list', data: [...this.pages.values()], has_more: false } };
    const page = this.pages.get(id);
    if (!page) return missing('checkout.session');
    if (verb === 'expire') {
      if (page.status !== 'open')
        return failure(400, { type: 'invalid_request_error', message: `is ${page.status}` });
      Object.assign(page, { status: 'expired', url: null });
      this.tell('checkout.session.expired', page);
    }
    return { status: 200, body: page };
  }

  #createPage(body: Fields): Answer {
    const id = this.id('cs_test');
    const line = (body.line_items as Record<string, { price_data: Fields }>)[0]?.price_data as Fields;
    const page: Page = {
      id,
      object: 'checkout.session',
      amount_total: Number(line.unit_amount),
      currency: line.currency,
      payment_status: 'unpaid',
      payment_intent: null,
      created: Math.floor(this.now() / 1000),
      url: `${this.url}/pay/${id}`,
      ...body,
      status: 'open',
    };
    this.pages.set(id, page);
    return { status: 200, body: page };
  }

  #ofRefunds(method: string, id: string | undefined, body: Fields): Answer {
    const all = [...this.refunds.values()];
    if (method === 'GET' && id !== undefined) {
      const found = this.refunds.get(id);
      return found ? { status: 200, body: found } : missing('refund');
    }
    if (method === 'GET') {
      const data = all.filter((one) => one.payment_intent === body.payment_intent);
      return { status: 200, body: { object: 'list', data, has_more: false } };
    }
    const intent = this.intents.get(String(body.payment_intent));
    if (!intent) return missing('payment_intent');
    const back = all.filter((one) => one.payment_intent === intent.id && one.status !== 'failed');
    const left = Number(intent.amount_received) - back.reduce((sum, one) => sum + one.amount, 0);
    const amount = Number(body.amount);
    if (this.takes('fail_refund') || amount > left)
      return failure(400, {
        type: 'invalid_request_error',
        code: 'charge_already_refunded',
        message: `Refund amount is greater than unrefunded amount ${left}`,
      });
    const status = this.takes('pending_refund') ? 'pending' : 'succeeded';
    const refund = {
      ...body,
      id: this.id('re'),
      object: 'refund',
      amount,
      status,
      currency: intent.currency,
    };
    this.refunds.set(refund.id, refund);
    if (status === 'succeeded') this.tell('refund.created', refund);
    return { status: 200, body: refund };
  }
}
