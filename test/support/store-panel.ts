// A script of the panel at the JSON of the store: it keeps the session cookie and sends the CSRF token that it was told last.
import type { TestApp } from './app.ts';
import type { HttpReply, Sent } from './http-client.ts';

export type StorePanel = {
  /** The cookie of the session as it is sent; undefined without one. */
  session(): string | undefined;
  token(): string | null;
  /** Sends a request: `/auth/me` is `/api/store/auth/me`; a body makes it a POST. */
  ask(path: string, sent?: Sent): Promise<HttpReply>;
  post(path: string, body?: object, headers?: Record<string, string>): Promise<HttpReply>;
  /** Asks for the token as a guest, and signs in. */
  signIn(given: object): Promise<HttpReply>;
};

export function openStorePanel(app: Pick<TestApp, 'send'>): StorePanel {
  let session: string | undefined;
  let token: string | null = null;
  const send = async (path: string, sent: Sent): Promise<HttpReply> => {
    const own = {
      ...(session !== undefined && { Cookie: `cart_session=${session}` }),
      ...(token !== null && { 'X-CSRF-Token': token }),
    };
    const reply = await app.send(path, { ...sent, headers: { ...own, ...sent.headers } });
    for (const line of reply.headers['set-cookie'] ?? []) session = /^cart_session=([^;]*)/.exec(line)?.[1];
    const told = (reply.body.data as { csrf_token?: unknown } | undefined)?.csrf_token;
    if (typeof told === 'string') token = told;
    return reply;
  };
  const ask: StorePanel['ask'] = (path, sent = {}) => send(`/api/store${path}`, sent);
  const post: StorePanel['post'] = (path, body = {}, headers = {}) => ask(path, { body, headers });
  return {
    session: () => session,
    token: () => token,
    ask,
    post,
    async signIn(given) {
      await send('/api/shop/session', {});
      return post('/auth/login', given);
    },
  };
}
