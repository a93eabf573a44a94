// A customer's browser as a program drives it: registered, verified, signed in.
import { credentials } from '#storefront/people/customers/index.ts';
import type { TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import type { HttpReply } from '../support/http-client.ts';

export const PASSWORD = 'correct horse battery';

let made = 0;

export type CustomerClient = {
  /** Of the customer. */
  id: string;
  email: string;
  password: string;
  browser: ReturnType<typeof openBrowser>;
  /** Asks for the token of the session that the browser has now. */
  renew(): Promise<void>;
  /** A JSON call with cookie and token: `path` from /api on; a body makes it a POST. */
  send(path: string, method?: string, body?: unknown): Promise<HttpReply>;
  /** What a success answers; throws for a refusal. */
  data<T = Record<string, unknown>>(path: string, method?: string, body?: unknown): Promise<T>;
  /** What a refusal says: status, code, reason. */
  refusal(path: string, method?: string, body?: unknown): Promise<[number, unknown, unknown]>;
};

/** A browser with the token of its session, which nobody is signed in to. */
export async function openJson(app: Pick<TestApp, 'send'>) {
  const browser = openBrowser(app.send);
  let token = '';
  const renew = async () => {
    const { body } = await browser.open('/api/shop/session');
    token = (body.data as unknown as { csrf_token: string }).csrf_token;
  };
  await renew();
  const send = async (path: string, method?: string, body?: unknown): Promise<HttpReply> => {
    const reply = await browser.ask(path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      ...(body !== undefined && { body }),
      headers: { 'X-CSRF-Token': token },
    });
    const next = (reply.body as { data?: { csrf_token?: string } } | undefined)?.data?.csrf_token;
    if (next !== undefined) token = next;
    return reply;
  };
  return {
    browser,
    send,
    renew,
    async data<T = Record<string, unknown>>(path: string, method?: string, body?: unknown): Promise<T> {
      const reply = await send(path, method, body);
      if (reply.status > 201) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
      return reply.body.data as T;
    },
    async refusal(path: string, method?: string, body?: unknown): Promise<[number, unknown, unknown]> {
      const { status, body: answer } = await send(path, method, body);
      const { reason } = (answer.details ?? {}) as { reason?: string };
      return [status, answer.error_code, reason];
    },
  };
}

/** An account whose address is verified; nobody is signed in to it. */
export async function registered(app: TestApp, email = `customer${++made}-${process.pid}@x.test`) {
  const client = await openJson(app);
  const said = { email, password: PASSWORD, first_name: 'Ann', last_name: 'Miller' };
  await client.data('/api/shop/auth/register', 'POST', said);
  const { id } = (await credentials.findByEmail(app.ctx, email)) as { id: string };
  await app.ctx.tx((ctx) => credentials.change(ctx, id, { emailVerifiedAt: ctx.now() }));
  return { id, email, password: PASSWORD };
}

/** Somebody who has registered, verified the address and signed in. */
export async function customerClient(
  app: TestApp,
  { email }: { email?: string } = {},
): Promise<CustomerClient> {
  const account = await registered(app, email);
  const client = await openJson(app);
  await client.data('/api/shop/auth/login', 'POST', { email: account.email, password: account.password });
  return { ...account, ...client };
}
