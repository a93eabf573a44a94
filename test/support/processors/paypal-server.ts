// PayPal on this machine: as much of its API as the shop calls, for the real SDK.
import { createHmac } from 'node:crypto';
import {
  type Answer,
  type Call,
  type Delivery,
  deliver,
  type LedgerLine,
  type Loopback,
  type LoopbackOptions,
  openLoopback,
} from './loopback.ts';

type Fields = Record<string, unknown>;
type Amount = { currency_code: string; value: string };
type Capture = Fields & { id: string; status: string; amount: Amount; custom_id: string };
type Refund = Fields & { id: string; status: string; amount: Amount; capture: string };
type Order = Fields & {
  id: string;
  status: string;
  amount: Amount;
  custom_id: string;
  reference_id: string;
  capture?: Capture;
};

export const PAYPAL_KEYS = {
  paypal_client_id: 'client_loopback_0001',
  paypal_client_secret: 'client_secret_loopback_0001',
  paypal_webhook_id: 'WH1LOOPBACK',
  paypal_environment: 'sandbox',
};

const TOKEN = 'A21AA_loopback_token_0001';
const failure = (status: number, name: string, issue?: string): Answer => ({
  status,
  body: { name, message: `${name} on this machine`, details: issue ? [{ issue, description: issue }] : [] },
});
const missing = failure(404, 'RESOURCE_NOT_FOUND', 'INVALID_RESOURCE_ID');
/** In hundredths of the currency, or in its units where it has none. */
const unitsOf = ({ value }: Amount): number => Number(value.replace('.', ''));
const more = ({ value, currency_code }: Amount): Amount => ({
  currency_code,
  value: (Number(value) + 1).toFixed(2),
});

export class PayPalServer {
  readonly #base: Loopback;
  readonly #now: () => number;
  readonly #orders = new Map<string, Order>();
  readonly #refunds = new Map<string, Refund>();
  readonly #signed = new Set<string>();
  /** Events that PayPal would report, oldest first. */
  readonly events: Fields[] = [];
  #count = 0;

  private constructor(base: Loopback, now: () => number) {
    this.#base = base;
    this.#now = now;
  }

  static async open({ now = Date.now }: LoopbackOptions = {}): Promise<PayPalServer> {
    let self: PayPalServer;
    const base = await openLoopback((call) => self.#answer(call), {
      keyOf: ({ method, path, headers }) => {
        const key = headers['paypal-request-id'];
        return method === 'POST' && key ? `${path} ${key}` : null;
      },
      isMoving: ({ method, path }) => method === 'POST' && path.startsWith('/v2/'),
      ledger: () => ({ charges: self.charges(), balanceCents: self.balanceCents() }),
    });
    self = new PayPalServer(base, now);
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

  #captures(): Capture[] {
    return [...this.#orders.values()].map(({ capture }) => capture).filter((one) => one !== undefined);
  }
  /** What was taken, oldest first. */
  charges(): LedgerLine[] {
    return this.#captures()
      .filter(({ status }) => status === 'COMPLETED')
      .map((one) => ({
        paymentId: one.custom_id,
        transactionId: one.id,
        amount: unitsOf(one.amount),
        currency: one.amount.currency_code,
      }));
  }
  /** What is left of a payment, or of all of them, after refunds. */
  balanceCents(paymentId?: string): number {
    const charged = this.charges().filter((one) => paymentId === undefined || one.paymentId === paymentId);
    const ids = new Set(charged.map(({ transactionId }) => transactionId));
    return charged.reduce((sum, { amount }) => sum + amount, 0) - this.#backOf(ids);
  }
  #backOf(captures: ReadonlySet<string>): number {
    return [...this.#refunds.values()]
      .filter((one) => captures.has(one.capture) && one.status !== 'FAILED')
      .reduce((sum, one) => sum + unitsOf(one.amount), 0);
  }

  /** What the buyer does on PayPal's page. */
  approve(orderId: string): void {
    (this.#orders.get(orderId) as Order).status = 'APPROVED';
  }
  finish(captureId: string, status: 'COMPLETED' | 'DECLINED'): void {
    const capture = this.#captures().find(({ id }) => id === captureId) as Capture;
    capture.status = status;
    this.#tell(`PAYMENT.CAPTURE.${status}`, capture);
  }
  finishRefund(refundId: string, status: 'COMPLETED' | 'FAILED'): void {
    const refund = this.#refunds.get(refundId) as Refund;
    refund.status = status;
    this.#tell(status === 'FAILED' ? 'PAYMENT.REFUND.FAILED' : 'PAYMENT.CAPTURE.REFUNDED', refund);
  }
  dispute(captureId: string, outcome?: string): void {
    const capture = this.#captures().find(({ id }) => id === captureId) as Capture;
    this.#tell(outcome ? 'CUSTOMER.DISPUTE.RESOLVED' : 'CUSTOMER.DISPUTE.CREATED', {
      dispute_id: 'PP-D-1',
      reason: 'UNAUTHORISED',
      dispute_amount: capture.amount,
      disputed_transactions: [{ seller_transaction_id: captureId, custom: capture.custom_id }],
      ...(outcome && { dispute_outcome: { outcome_code: outcome } }),
    });
  }

  /** A notification as PayPal sends it; PayPal remembers what it signed. */
  signed(event: Fields, webhookId = PAYPAL_KEYS.paypal_webhook_id): Delivery {
    const body = JSON.stringify(event);
    const time = new Date(this.#now()).toISOString();
    const signature = createHmac('sha256', 'paypal on this machine').update(`${time}|${webhookId}|${body}`);
    const sig = signature.digest('base64');
    this.#signed.add(`${sig} ${webhookId} ${body}`);
    return {
      body,
      headers: {
        'paypal-auth-algo': 'SHA256withRSA',
        'paypal-cert-url': 'https://api.paypal.com/v1/notifications/certs/CERT-1',
        'paypal-transmission-id': this.#id('T'),
        'paypal-transmission-sig': sig,
        'paypal-transmission-time': time,
      },
    };
  }
  /** Posts the events so far. @param order as tests like it: repeated, reversed, filtered */
  deliver(url: string, order: (events: Fields[]) => Fields[] = (events) => events): Promise<number[]> {
    return deliver(
      url,
      order([...this.events]).map((event) => this.signed(event)),
    );
  }

  #id(prefix: string): string {
    this.#count += 1;
    return `${prefix}LOOPBACK${String(this.#count).padStart(8, '0')}`;
  }
  #tell(event_type: string, resource: Fields): void {
    const create_time = new Date(this.#now()).toISOString();
    this.events.push({ id: this.#id('WH-'), event_type, create_time, resource: structuredClone(resource) });
  }

  #answer(call: Call): Answer {
    const { method, path, headers } = call;
    const page = /^\/pay\/([^/]+)$/.exec(path)?.[1];
    if (page !== undefined) return this.#visit(page, call.query.has('cancel'));
    if (path === '/v1/oauth2/token') {
      const { paypal_client_id: id, paypal_client_secret: secret } = PAYPAL_KEYS;
      if (headers.authorization !== `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`)
        return {
          status: 401,
          body: { error: 'invalid_client', error_description: 'Client Authentication failed' },
        };
      return { status: 200, body: { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 } };
    }
    if (headers.authorization !== `Bearer ${TOKEN}`) return failure(401, 'AUTHENTICATION_FAILURE');
    if (path === '/v1/notifications/verify-webhook-signature') return this.#judge(call.raw);
    const body = call.raw === '' ? {} : (JSON.parse(call.raw) as Fields);
    const [, , group, what, id = '', verb] = path.split('/');
    if (group === 'checkout') return this.#ofOrders(method, id, verb, body);
    if (what === 'captures') return this.#ofCaptures(method, id, body);
    const refund = this.#refunds.get(id);
    return refund ? { status: 200, body: refund } : missing;
  }

  /** Compares texts, as PayPal compares check sums of texts. */
  #judge(raw: string): Answer {
    const asked = JSON.parse(raw) as Record<string, string>;
    const text = raw.slice(raw.indexOf('"webhook_event":') + '"webhook_event":'.length, -1);
    const isSigned = this.#signed.has(`${asked.transmission_sig} ${asked.webhook_id} ${text}`);
    return { status: 200, body: { verification_status: isSigned ? 'SUCCESS' : 'FAILURE' } };
  }

  #visit(id: string, isGivenUp: boolean): Answer {
    const order = this.#orders.get(id);
    if (!order) return missing;
    if (!isGivenUp) this.approve(id);
    return {
      status: 303,
      body: '',
      headers: { location: String(isGivenUp ? order.cancel_url : order.return_url) },
    };
  }

  #shown(order: Order): Fields {
    const { id, status, amount, custom_id, reference_id, capture } = order;
    const refunds = [...this.#refunds.values()].filter((one) => one.capture === capture?.id);
    return {
      id,
      status,
      intent: 'CAPTURE',
      payer: { payer_id: 'PAYER1', email_address: 'ann@x.test', address: { country_code: 'DE' } },
      purchase_units: [
        { amount, custom_id, reference_id, ...(capture && { payments: { captures: [capture], refunds } }) },
      ],
      links:
        status === 'PAYER_ACTION_REQUIRED'
          ? [{ rel: 'payer-action', href: `${this.url}/pay/${id}`, method: 'GET' }]
          : [],
    };
  }

  #ofOrders(method: string, id: string, verb: string | undefined, body: Fields): Answer {
    if (method === 'POST' && id === '') {
      const [unit] = body.purchase_units as (Order & Fields)[];
      const source = body.payment_source as { paypal: { experience_context: Fields } };
      const order = {
        ...(unit as Order),
        ...source.paypal.experience_context,
        id: this.#id('O'),
        status: 'PAYER_ACTION_REQUIRED',
      };
      this.#orders.set(order.id, order);
      return { status: 200, body: this.#shown(order) };
    }
    const order = this.#orders.get(id);
    if (!order) return missing;
    if (verb === 'capture') {
      const fault = this.#take(order);
      if (fault) return fault;
    }
    return { status: 200, body: this.#shown(order) };
  }

  #take(order: Order): Answer | null {
    if (order.capture) return failure(422, 'UNPROCESSABLE_ENTITY', 'ORDER_ALREADY_CAPTURED');
    if (order.status !== 'APPROVED') return failure(422, 'UNPROCESSABLE_ENTITY', 'ORDER_NOT_APPROVED');
    if (this.#base.takes('decline')) return failure(422, 'UNPROCESSABLE_ENTITY', 'INSTRUMENT_DECLINED');
    const id = this.#id('C');
    order.status = 'COMPLETED';
    order.capture = {
      id,
      status: this.#base.takes('pending') ? 'PENDING' : 'COMPLETED',
      amount: this.#base.takes('wrong_amount') ? more(order.amount) : order.amount,
      custom_id: order.custom_id,
      supplementary_data: { related_ids: { order_id: order.id } },
    };
    this.#tell(`PAYMENT.CAPTURE.${order.capture.status}`, order.capture);
    return null;
  }

  #ofCaptures(method: string, id: string, body: Fields): Answer {
    const capture = this.#captures().find((one) => one.id === id);
    if (!capture) return missing;
    if (method === 'GET') return { status: 200, body: capture };
    const amount = body.amount as Amount;
    const left = unitsOf(capture.amount) - this.#backOf(new Set([id]));
    if (this.#base.takes('fail_refund') || unitsOf(amount) > left)
      return failure(422, 'UNPROCESSABLE_ENTITY', 'REFUND_AMOUNT_EXCEEDED');
    const status = this.#base.takes('pending_refund') ? 'PENDING' : 'COMPLETED';
    const links = [{ rel: 'up', href: `${this.url}/v2/payments/captures/${id}`, method: 'GET' }];
    const refund = { ...body, id: this.#id('R'), status, amount, capture: id, links };
    this.#refunds.set(refund.id, refund);
    if (status === 'COMPLETED') this.#tell('PAYMENT.CAPTURE.REFUNDED', refund);
    return { status: 201, body: refund };
  }
}
