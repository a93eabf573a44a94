// A browser without JavaScript: it keeps cookies, follows no redirect by itself, and sends the forms of a page.
import type { HttpReply, Sent } from './http-client.ts';

export type Browser = {
  /** Cookies by name, as they were set. */
  readonly cookies: Map<string, string>;
  /** The text of the session's cookie as it is sent; undefined without one. */
  session(): string | undefined;
  open(path: string, headers?: Record<string, string>): Promise<HttpReply>;
  /** Sends a request of any kind with its cookies. */
  ask(path: string, sent: Sent): Promise<HttpReply>;
  /** Opens a page and sends its form: its token, and the given fields. A field of null is left out. */
  submit(
    path: string,
    fields?: Record<string, string | null>,
    headers?: Record<string, string>,
  ): Promise<HttpReply>;
  /** Sends a form without looking at its page. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
    headers?: Record<string, string>,
  ): Promise<HttpReply>;
};

const SESSION = 'cart_session';

/** @param send of a server's client; two browsers may share it */
export function openBrowser(send: (path: string, sent?: Sent) => Promise<HttpReply>): Browser {
  const cookies = new Map<string, string>();
  const request = async (path: string, sent: Sent): Promise<HttpReply> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await send(path, {
      ...sent,
      headers: { ...(cookie !== '' && { Cookie: cookie }), ...sent.headers },
    });
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return reply;
  };
  const post: Browser['post'] = (path, fields, headers = {}) =>
    request(path, {
      method: 'POST',
      body: new URLSearchParams(fields as Record<string, string> | [string, string][]).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });
  return {
    cookies,
    session: () => cookies.get(SESSION),
    open: (path, headers = {}) => request(path, { headers }),
    ask: request,
    post,
    async submit(path, fields = {}, headers = {}) {
      const { text } = await request(path, {});
      const all = { _csrf: tokenIn(text), ...fields };
      const sent = Object.entries(all).filter((field): field is [string, string] => field[1] !== null);
      return post(path, Object.fromEntries(sent), headers);
    },
  };
}

/** The token of the last form of a page. */
export const tokenIn = (html: string): string =>
  [...html.matchAll(/name="_csrf" value="([^"]*)"/g)].at(-1)?.[1] ?? '';
