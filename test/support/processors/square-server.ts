// Square on this machine: as much of its API as the shop calls, for the real SDK.
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
import {
  backOf,
  DECLINES,
  type Fields,
  failure,
  type Link,
  type Money,
  type Order,
  type Payment,
  type Refund,
  SQUARE_KEYS,
} from './square-shapes.ts';

export { SQUARE_KEYS };

export class SquareServer {
  readonly #base: Loopback;
  readonly #now: () => number;
  readonly #payments = new Map<string, Payment>();
  readonly #refunds = new Map<string, Refund>();
  readonly #links = new Map<string, Link>();
  readonly #orders = new Map<string, Order>();
  /** Events that Square would report, oldest first. */
  readonly events: Fields[] = [];
  #count = 0;

  private constructor(base: Loopback, now: () => number) {
    this.#base = base;
    this.#now = now;
  }

  static async open({ now = Date.now }: LoopbackOptions = {}): Promise<SquareServer> {
    let self: SquareServer;
    const base = await openLoopback((call) => self.#answer(call), {
      keyOf: ({ method, raw }) =>
        method === 'GET' || raw === ''
          ? null
          : ((JSON.parse(raw) as Fields).idempotency_key as string) || null,
      isMoving: ({ method, path }) => method !== 'GET' && path.startsWith('/v2/'),
      ledger: () => ({ charges: self.charges(), balanceCents: self.balanceCents() }),
    });
    self = new SquareServer(base, now);
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

  /** What was taken, oldest first. */
  charges(): LedgerLine[] {
    return [...this.#payments.values()]
      .filter(({ status }) => status === 'COMPLETED')
      .map((one) => ({
        paymentId: String(one.reference_id ?? one.note),
        transactionId: one.id,
        ...one.total_money,
      }));
  }
  /** What is left of a payment, or of all of them, after refunds. */
  balanceCents(paymentId?: string): number {
    const charged = this.charges().filter((one) => paymentId === undefined || one.paymentId === paymentId);
    const ids = new Set(charged.map(({ transactionId }) => transactionId));
    return charged.reduce((sum, { amount }) => sum + amount, 0) - backOf(this.#refunds, ids);
  }

  /** What the buyer does on Square's page. @returns the payment that it became */
  payOnPage(linkId: string): string {
    const link = this.#links.get(linkId) as Link;
    const order = this.#orders.get(link.order_id) as Order;
    const payment = this.#make({
      amount_money: order.total_money,
      order_id: order.id,
      note: link.payment_note,
    });
    this.#settle(payment, true);
    Object.assign(order, {
      state: 'COMPLETED',
      tenders: [{ id: payment.id, type: 'CARD', payment_id: payment.id }],
    });
    return payment.id;
  }
  finish(paymentId: string, status: 'COMPLETED' | 'FAILED'): void {
    const payment = this.#payments.get(paymentId) as Payment;
    payment.status = status;
    this.#tell('payment.updated', { payment });
  }
  finishRefund(refundId: string, status: 'COMPLETED' | 'FAILED' | 'REJECTED'): void {
    const refund = this.#refunds.get(refundId) as Refund;
    refund.status = status;
    this.#tell('refund.updated', { refund });
  }
  dispute(paymentId: string, state: string, isNew = false): void {
    const { amount_money } = this.#payments.get(paymentId) as Payment;
    const disputed_payment = { payment_id: paymentId };
    const dispute = { id: 'dp_1', state, reason: 'NO_KNOWLEDGE', amount_money, disputed_payment };
    this.#tell(isNew ? 'dispute.created' : 'dispute.state.updated', { dispute });
  }

  /** A notification as Square signs it: over the URL that it was told, and the body. */
  signed(event: Fields, url: string, key = SQUARE_KEYS.square_webhook_signature_key): Delivery {
    const body = JSON.stringify(event);
    const signature = createHmac('sha256', key).update(url).update(body).digest('base64');
    return { body, headers: { 'x-square-hmacsha256-signature': signature } };
  }
  /** Posts the events so far. @param notificationUrl what they are signed over, when they are sent elsewhere */
  deliver(
    url: string,
    order: (events: Fields[]) => Fields[] = (events) => events,
    notificationUrl = url,
  ): Promise<number[]> {
    return deliver(
      url,
      order([...this.events]).map((event) => this.signed(event, notificationUrl)),
    );
  }

  #id(prefix: string): string {
    this.#count += 1;
    return `${prefix}LOOPBACK${String(this.#count).padStart(8, '0')}`;
  }
  #tell(type: string, object: Fields): void {
    const created_at = new Date(this.#now()).toISOString();
    const data = { type: type.split('.')[0], object: structuredClone(object) };
    this.events.push({ merchant_id: 'M1', event_id: this.#id('ev'), type, created_at, data });
  }
  #make(fields: Fields & { amount_money: Money }): Payment {
    const payment: Payment = {
      status: 'PENDING',
      created_at: new Date(this.#now()).toISOString(),
      location_id: SQUARE_KEYS.square_location_id,
      source_type: 'CARD',
      buyer_email_address: 'ann@x.test',
      refund_ids: [],
      total_money: fields.amount_money,
      ...fields,
      id: this.#id('P'),
    };
    this.#payments.set(payment.id, payment);
    return payment;
  }
  #settle(payment: Payment, isFinal: boolean): void {
    if (this.#base.takes('wrong_amount'))
      payment.total_money = { ...payment.amount_money, amount: payment.amount_money.amount + 100 };
    Object.assign(payment, {
      status: isFinal ? 'COMPLETED' : 'APPROVED',
      approved_money: payment.amount_money,
      card_details: {
        status: isFinal ? 'CAPTURED' : 'AUTHORIZED',
        card: { card_brand: 'VISA', last_4: '1111', fingerprint: 'sq-1-loopback', bin: '411111' },
      },
      ...(!isFinal && { delayed_until: new Date(this.#now() + 7 * 86_400_000).toISOString() }),
    });
    this.#tell('payment.updated', { payment });
  }

  #answer(call: Call): Answer {
    const { method, path } = call;
    const page = /^\/pay\/([^/]+)$/.exec(path)?.[1];
    if (page !== undefined) return this.#visit(page);
    if (path === '/v1/square.js')
      return { status: 200, body: '', headers: { 'content-type': 'text/javascript' } };
    if (call.headers.authorization !== `Bearer ${SQUARE_KEYS.square_access_token}`)
      return failure(401, 'UNAUTHORIZED', 'AUTHENTICATION_ERROR');
    const body = call.raw === '' ? {} : (JSON.parse(call.raw) as Fields);
    const [, , what = '', id, verb] = path.replace('online-checkout/payment-links', 'links').split('/');
    if (what === 'payments') return this.#ofPayments(method, id, verb, body, call.query);
    if (what === 'links') return this.#ofLinks(method, id, body);
    if (what === 'refunds') return this.#ofRefunds(method, id, body);
    const order = this.#orders.get(id ?? '');
    if (what === 'orders') return order ? { status: 200, body: { order } } : failure(404, 'NOT_FOUND');
    if (what === 'locations' && id === SQUARE_KEYS.square_location_id)
      return { status: 200, body: { location: { id, currency: 'EUR', status: 'ACTIVE' } } };
    return failure(404, 'NOT_FOUND');
  }

  #visit(linkId: string): Answer {
    const link = this.#links.get(linkId);
    if (!link) return failure(404, 'NOT_FOUND');
    if (this.#orders.get(link.order_id)?.state === 'OPEN') this.payOnPage(linkId);
    const { redirect_url } = link.checkout_options as { redirect_url: string };
    return { status: 303, body: '', headers: { location: redirect_url } };
  }

  #ofPayments(
    method: string,
    id: string | undefined,
    verb: string | undefined,
    body: Fields,
    query: URLSearchParams,
  ): Answer {
    if (method === 'POST' && id === undefined) return this.#createPayment(body);
    if (id === undefined) {
      const [from, until] = [query.get('begin_time') ?? '', query.get('end_time') ?? '~'];
      const payments = [...this.#payments.values()].filter(
        ({ created_at }) => String(created_at) >= from && String(created_at) <= until,
      );
      return { status: 200, body: { payments } };
    }
    const payment = this.#payments.get(id);
    if (!payment) return failure(404, 'NOT_FOUND');
    if (method !== 'GET' && payment.status !== 'APPROVED') return failure(400, 'INVALID_STATE');
    if (method === 'PUT') {
      const { amount_money } = body.payment as { amount_money: Money };
      if (amount_money.amount > payment.amount_money.amount) return failure(400, 'AMOUNT_TOO_HIGH');
      Object.assign(payment, { amount_money, total_money: amount_money });
    } else if (verb === 'complete') this.#settle(payment, true);
    else if (verb === 'cancel') {
      payment.status = 'CANCELED';
      this.#tell('payment.updated', { payment });
    }
    return { status: 200, body: { payment } };
  }

  #createPayment(body: Fields & { amount_money?: Money }): Answer {
    const { source_id, idempotency_key: _key, autocomplete, ...fields } = body;
    const payment = this.#make(fields as Fields & { amount_money: Money });
    const code = this.#base.takes('decline') ? 'GENERIC_DECLINE' : DECLINES[String(source_id)];
    if (code) {
      Object.assign(payment, { status: 'FAILED', card_details: { errors: [{ code }] } });
      this.#tell('payment.updated', { payment });
      return failure(400, code, 'PAYMENT_METHOD_ERROR', { payment });
    }
    if (this.#base.takes('pending')) return { status: 200, body: { payment } };
    this.#settle(payment, autocomplete === true);
    return { status: 200, body: { payment } };
  }

  #ofLinks(method: string, id: string | undefined, body: Fields): Answer {
    if (id === undefined) {
      const order = body.order as { line_items: { base_price_money: Money }[] };
      const made: Order = {
        ...order,
        id: this.#id('O'),
        state: 'OPEN',
        total_money: order.line_items[0]?.base_price_money as Money,
      };
      const linkId = this.#id('L');
      const link = { ...body, id: linkId, version: 1, order_id: made.id, url: `${this.url}/pay/${linkId}` };
      this.#orders.set(made.id, made);
      this.#links.set(link.id, link);
      return { status: 200, body: { payment_link: link } };
    }
    const link = this.#links.get(id);
    if (!link) return failure(404, 'NOT_FOUND');
    if (method === 'DELETE') {
      const order = this.#orders.get(link.order_id) as Order;
      if (order.state !== 'OPEN') return failure(400, 'BAD_REQUEST');
      order.state = 'CANCELED';
      return { status: 200, body: { id, cancelled_order_id: order.id } };
    }
    return { status: 200, body: { payment_link: link } };
  }

  #ofRefunds(method: string, id: string | undefined, body: Fields): Answer {
    if (method === 'GET') {
      const found = this.#refunds.get(id ?? '');
      return found ? { status: 200, body: { refund: found } } : failure(404, 'NOT_FOUND');
    }
    const payment = this.#payments.get(String(body.payment_id));
    if (!payment) return failure(404, 'NOT_FOUND');
    const amount_money = body.amount_money as Money;
    const left = this.#leftOf(payment);
    if (this.#base.takes('fail_refund') || amount_money.amount > left)
      return failure(400, 'REFUND_AMOUNT_INVALID', 'REFUND_ERROR');
    const status = this.#base.takes('pending_refund') ? 'PENDING' : 'COMPLETED';
    const refund: Refund = {
      id: this.#id('R'),
      status,
      payment_id: payment.id,
      amount_money,
      reason: body.reason,
    };
    this.#refunds.set(refund.id, refund);
    (payment.refund_ids as string[]).push(refund.id);
    this.#tell('refund.created', { refund });
    return { status: 200, body: { refund } };
  }
  #leftOf({ id, total_money }: Payment): number {
    return total_money.amount - backOf(this.#refunds, new Set([id]));
  }
}
