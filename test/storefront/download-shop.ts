// A shop that sells files, and orders of them.
import { openOrderShop } from './order-shop.ts';

export type DownloadShop = Awaited<ReturnType<typeof openDownloadShop>>;

/** A file as answers name it. */
export interface DownloadShown {
  readonly id: string;
  readonly order_number: string;
  readonly file_name: string;
  readonly size: number | null;
  readonly sha256: string | null;
  readonly downloads_left: number | null;
  readonly expires_at: string | null;
}

/** Starts the shop. @param options of the application */
export async function openDownloadShop(options: Parameters<typeof openOrderShop>[0] = {}) {
  const shop = await openOrderShop(options);
  const { secret } = await shop.app.adminToken('owner');

  /** A file for the buyers of a variant. @returns its id */
  async function addFile(variantId: string, bytes: string, query = ''): Promise<string> {
    const { status, body, text } = await shop.app.send(`/api/store/variants/${variantId}/files${query}`, {
      method: 'POST',
      body: bytes,
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/octet-stream' },
    });
    if (status !== 201) throw new Error(`${status} ${text}`);
    return (body.data as unknown as { id: string }).id;
  }

  /** A digital product with a file. @returns the id of its variant */
  async function album(bytes: string, query = '?name=album.zip', units = 1000): Promise<string> {
    const id = await shop.stocked(units, { type: 'digital' });
    await addFile(id, bytes, query);
    return id;
  }

  /** Rows of an order's files. */
  const rowsOf = (orderId: string) =>
    shop.knex()('download_grants').where({ order_id: orderId }).orderBy('id') as Promise<
      Record<string, string | number | null>[]
    >;
  /** The token that a guest's mail links to. */
  const tokenOf = async (orderId: string): Promise<string> => {
    const { openAccess } = await import('#storefront/orders/orders/index.ts');
    return openAccess(shop.app.ctx, { id: orderId } as Parameters<typeof openAccess>[1]);
  };
  /** Fetches the address of a link. */
  const fetched = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    shop.app.send(new URL(url).pathname, { method, headers });
  /** The same by the path of the API. */
  const api = (url: string) => `/api/shop/downloads/file/${new URL(url).pathname.split('/').at(-1)}`;
  return { ...shop, addFile, album, rowsOf, tokenOf, fetched, api };
}
