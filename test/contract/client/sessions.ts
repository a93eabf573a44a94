// Who uses the generated client: somebody at a browser, or a program of staff.
import { Api, type ApiConfig } from './api.ts';

export type Options = {
  /** Where the server answers. */
  readonly baseUrl: string;
  /** Of a key with the scopes to read and write products, orders and settings. */
  readonly key: string;
};

type Fetch = NonNullable<ApiConfig['customFetch']>;

/** Keeps the cookies of its session, and sends the token that goes with them, as a browser does. */
export async function browser(baseUrl: string) {
  const cookies = new Map<string, string>();
  let token = '';
  const customFetch: Fetch = async (address, init) => {
    const headers = new Headers(init?.headers);
    if (cookies.size > 0) headers.set('Cookie', [...cookies].map((pair) => pair.join('=')).join('; '));
    if (token !== '') headers.set('X-CSRF-Token', token);
    const answer = await fetch(address, { ...init, headers });
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    return answer;
  };
  const { api } = new Api({ baseUrl, customFetch });
  /** To be called when the session has become another one: at the start, and when somebody signs in or out. */
  const renew = async () => {
    token = (await api.getShopSession()).data.data.csrf_token;
  };
  await renew();
  return { api, renew };
}

/** What a program of staff uses. */
export const staffOf = ({ baseUrl, key }: Options) =>
  new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${key}` } } }).api;

/** What a call was refused with: the client throws the answer, with its error in the form of the document. */
export async function refusalOf(call: () => Promise<unknown>): Promise<{ status: number; code: string }> {
  try {
    await call();
  } catch (answer) {
    const { status, error } = answer as { status: number; error: { error_code: string } };
    return { status, code: error.error_code };
  }
  throw new Error('what was to be refused was done');
}
