// A shopper's browser as a program drives it: cookies, the token of the session, JSON.
import type { z } from 'zod';
import type { CartShown } from '#storefront/buying/cart/view.ts';
import type { PlacedView } from '#storefront/buying/checkout/view.ts';
import type { TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import type { HttpReply } from '../support/http-client.ts';

/** An order with its payment, as a checkout answers. */
export type PlacedShown = z.output<typeof PlacedView>;
/** A cart with what was put into it. */
export type AddedShown = CartShown & { added: { item_id: string; quantity: number; capped: boolean } };

export type Shopper = {
  get(path: string): Promise<HttpReply>;
  post(path: string, body?: object, headers?: Record<string, string>): Promise<HttpReply>;
  /** What a success answers; throws for a refusal. */
  data<T = Record<string, unknown>>(path: string, body?: object): Promise<T>;
  /** What a refusal says: status, code, reason. */
  refusal(path: string, body?: object): Promise<[number, unknown, unknown]>;
  browser: ReturnType<typeof openBrowser>;
};

/** Somebody new, with the token of a session. Paths are below /api/store. */
export async function newShopper(app: Pick<TestApp, 'send'>): Promise<Shopper> {
  const browser = openBrowser(app.send);
  const { body } = await browser.open('/api/shop/session');
  const token = (body.data as unknown as { csrf_token: string }).csrf_token;
  const cookie = () => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const get = (path: string) => browser.open(`/api/store${path}`);
  const post = (path: string, sent: object = {}, headers: Record<string, string> = {}) =>
    app.send(`/api/store${path}`, {
      method: 'POST',
      body: sent,
      headers: { Cookie: cookie(), 'X-CSRF-Token': token, ...headers },
    });
  const ask = (path: string, sent?: object) => (sent === undefined ? get(path) : post(path, sent));
  return {
    browser,
    get,
    post,
    async data<T>(path: string, sent?: object) {
      const reply = await ask(path, sent);
      if (reply.status > 201) throw new Error(`${path}: ${reply.status} ${reply.text}`);
      return reply.body.data as T;
    },
    async refusal(path, sent) {
      const { status, body: answer } = await ask(path, sent);
      const { reason } = (answer.details ?? {}) as { reason?: string };
      return [status, answer.error_code, reason];
    },
  };
}

export const ANN = {
  name: 'Ann Miller',
  line1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postal_code: '62701',
  country: 'US',
};

/** What a refusal says beyond its code. */
export const detailsOf = ({ body }: HttpReply) =>
  body.details as { reason?: string; order_number?: string; fields?: { field: string }[] };
