// Calls of the shop's staff API as a program makes them.
import type { TestApp } from '../support/app.ts';

type Item = Record<string, unknown> & { id: string };

/** @returns what sends as an owner, and short forms that expect what they say */
export async function storeClient(app: TestApp, role = 'owner', more: { isInstanceWide?: boolean } = {}) {
  const { secret } = await app.adminToken(role, more);
  const send = (path: string, method = 'GET', body?: unknown) =>
    app.send(`/api/store${path}`, { method, body, headers: { Authorization: `Bearer ${secret}` } });
  const data = async (path: string, method = 'GET', body?: unknown): Promise<Item> => {
    const { status, body: answer } = await send(path, method, body);
    if (status > 201) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer.data as unknown as Item;
  };
  /** What a refusal says: its status, code and reason. */
  const refusal = async (path: string, method: string, body?: unknown) => {
    const { status, body: answer } = await send(path, method, body);
    const { reason } = (answer.details ?? {}) as { reason?: string };
    return [status, answer.error_code, reason];
  };
  return { send, data, refusal };
}

let made = 0;
/** A number that no other test of this process has: for titles and SKUs. */
export const another = (): number => ++made;

/** What makes a product that can be published. */
export const mug = (fields: object = {}) => {
  const number = another();
  return {
    title: `Mug ${number}`,
    type: 'physical',
    variants: [{ sku: `MUG-${number}`, price_cents: 1900 }],
    ...fields,
  };
};

/** What makes a product with two options and their four variants. */
export const shirt = (fields: object = {}) => {
  const number = another();
  return {
    title: `Shirt ${number}`,
    type: 'physical',
    options: [
      { name: 'Color', values: ['Red', 'Blue'] },
      { name: 'Size', values: ['M', 'L'] },
    ],
    variants: ['Red', 'Blue'].flatMap((color) =>
      ['M', 'L'].map((size) => ({
        sku: `SHIRT-${number}-${color}-${size}`,
        price_cents: size === 'M' ? 2000 : 2200,
        option_values: { Color: color, Size: size },
      })),
    ),
    ...fields,
  };
};
