// A script of the panel at the admin API: it keeps the session cookie and sends the CSRF token that it was told last.
import type { TestApp } from './app.ts';
import type { HttpReply, Sent } from './http-client.ts';

export type Panel = {
  /** The cookie of the session as it is sent; undefined without one. */
  session(): string | undefined;
  /** The token that the next write carries; null without one. */
  token(): string | null;
  /** Sends a request: `/me` is `/api/v1/admin/me`; a body makes it a POST. */
  ask(path: string, sent?: Sent): Promise<HttpReply>;
  post(path: string, body?: object, headers?: Record<string, string>): Promise<HttpReply>;
  /** Signs in. @param given e-mail and password, or more */
  signIn(given: object, headers?: Record<string, string>): Promise<HttpReply>;
};

export function openPanel(app: Pick<TestApp, 'admin'>): Panel {
  let session: string | undefined;
  let token: string | null = null;
  const ask: Panel['ask'] = async (path, sent = {}) => {
    const own = {
      ...(session !== undefined && { Cookie: `cart_session=${session}` }),
      ...(token !== null && { 'X-CSRF-Token': token }),
    };
    const reply = await app.admin(path, null, { ...sent, headers: { ...own, ...sent.headers } });
    for (const line of reply.headers['set-cookie'] ?? []) session = /^cart_session=([^;]*)/.exec(line)?.[1];
    const { csrfToken } = reply.body as { csrfToken?: string | null };
    if (typeof csrfToken === 'string') token = csrfToken;
    return reply;
  };
  const post: Panel['post'] = (path, body = {}, headers = {}) => ask(path, { body, headers });
  return {
    session: () => session,
    token: () => token,
    ask,
    post,
    signIn: (given, headers = {}) => post('/auth/login', given, headers),
  };
}
